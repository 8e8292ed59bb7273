//! The name that somebody probably meant.

/// The nearest of some names in spelling, if it is near enough. Case and a missing or surplus `nn.` count little.
pub(super) fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |name: &str| name.trim_start_matches("nn.").to_lowercase();
    let wanted = plain(name);
    let limit = (wanted.chars().count() / 3).max(1);
    let scored = candidates.filter(|candidate| *candidate != name).filter_map(|candidate| {
        let candidate_plain = plain(candidate);
        // The distance is at least the difference in length.
        if candidate_plain.len().abs_diff(wanted.len()) > limit * 4 {
            return None;
        }
        let distance = strsim::osa_distance(&wanted, &candidate_plain);
        (distance <= limit).then_some((distance, strsim::osa_distance(name, candidate), candidate))
    });
    scored.min_by_key(|&(distance, exact, _)| (distance, exact)).map(|(.., candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let types = ["nn.Conv2D", "nn.Dense"];
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(nearest(name, types.into_iter()), expected, "{name}");
        };
        check("nn.Conv2d", Some("nn.Conv2D"));
        check("Conv2D", Some("nn.Conv2D"));
        check("dense", Some("nn.Dense"));
        check("nn.Dens", Some("nn.Dense"));
        check("nn.LSTM", None);
        check("", None);
        assert_eq!(nearest("层1.conv", ["层1.conv1", "fc"].into_iter()), Some("层1.conv1"));
    }
}
