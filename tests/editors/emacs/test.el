;;; test.el --- What a user of Emacs sees on the documented sample -*- lexical-binding: t -*-
;; Debian's packages lie where a batch Emacs does not look.
(setq package-user-dir (getenv "XDG_CACHE_HOME")
      package-directory-list '("/usr/share/emacs/site-lisp/elpa" "/usr/share/emacs/site-lisp/elpa-src"))
(require 'package)
(package-initialize)
(require 'flymake)
(require 'eglot)
(set-language-environment "UTF-8")

;; Only now: with its strict mode on eglot does not even compile. Its own eldoc calls a hover without an answer, which the
;; protocol allows, a violation.
(setq eglot-stay-out-of '(eldoc) eglot-sync-connect 10 make-backup-files nil backtrace-on-error-noninteractive nil
      eglot-strict-mode '(disallow-non-standard-keys enforce-required-keys disallow-unknown-methods))

(defvar failed 0)
(defun check (name good &optional seen)
  (unless good (setq failed (1+ failed)))
  (princ (format "%s %s%s\n" (if good "ok" "FAIL") name (if good "" (format "  %S" seen)))))
(defmacro wait-for (form)
  `(let ((end (+ (float-time) 10)) seen)
     (while (and (not (setq seen ,form)) (< (float-time) end)) (accept-process-output nil 0.05))
     seen))
(defun findings (severity)
  (seq-filter (lambda (found) (eq (flymake-diagnostic-type found) severity)) (flymake-diagnostics)))

;; The file compiles without a warning.
(let ((byte-compile-dest-file-function (lambda (_) (expand-file-name "quantcfg.elc" (getenv "XDG_CACHE_HOME"))))
      (byte-compile-error-on-warn t))
  (check "quantcfg.el compiles without a warning" (byte-compile-file (getenv "QUANTCFG_PLUGIN"))))
(load (getenv "QUANTCFG_PLUGIN") nil t)
(setq quantcfg-command (list (getenv "QUANTCFG") "lsp"))
;; Strict mode only warns of what it finds.
(defvar complaints nil)
(advice-add 'eglot--warn :before (lambda (&rest what) (push what complaints)))

(condition-case fault
    (progn
      (dolist (name '("quant.cfg" "a.quant.cfg"))
        (check (concat name " has its mode") (eq (assoc-default name auto-mode-alist #'string-match) 'quantcfg-mode)))
      (dolist (name '("other.cfg" "unquant.cfg"))
        (check (concat name " does not") (not (eq (assoc-default name auto-mode-alist #'string-match) 'quantcfg-mode))))
      (find-file "quant.cfg")
      (check "the mode is on" (eq major-mode 'quantcfg-mode) major-mode)
      (font-lock-ensure)
      (check "fields are coloured"
             (progn (search-forward "clip_max:") (eq (get-text-property (match-beginning 0) 'face) 'font-lock-variable-name-face))
             (get-text-property (match-beginning 0) 'face))
      (let ((before (buffer-string)))
        (indent-region (point-min) (point-max))
        (check "indentation follows the blocks"
               (string-match-p "^                clip_max: 3.0\n                clip_min: -3.0\n            }\n        }\n    }$"
                               (buffer-string))
               (buffer-string))
        (erase-buffer) (insert before) (set-buffer-modified-p nil))
      (apply #'eglot (eglot--guess-contact))
      (check "the server starts" (wait-for (eglot-managed-p)))
      (flymake-mode 1)
      (flymake-start)
      (check "the sample has findings" (wait-for (flymake-diagnostics)))
      (check "and no error" (null (findings 'eglot-error)) (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

      ;; Edits beyond ASCII
      (goto-char (point-min))
      (end-of-line)
      (insert " 量化参数 😀 é")
      (goto-char (point-max))
      (insert "skip_layers: \"层😀1\" skip_layerz: \"a\" # 跳过\n")
      (eglot--signal-textDocument/didChange)
      (check "an unknown field is an error at its name"
             (wait-for (progn (flymake-start)
                              (let ((errors (findings 'eglot-error)))
                                (and (= (length errors) 1)
                                     (equal "skip_layerz" (buffer-substring (flymake-diagnostic-beg (car errors))
                                                                            (flymake-diagnostic-end (car errors))))))))
             (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
      (let ((held (jsonrpc-request (eglot-current-server) :quantcfg/test/text (eglot--TextDocumentIdentifier))))
        (check "server and buffer hold the same text" (equal (plist-get held :text) (buffer-string)) held))
      (forward-line -1)
      (kill-whole-line)
      (eglot--signal-textDocument/didChange)
      (check "without it there is no error" (wait-for (progn (flymake-start) (null (findings 'eglot-error)))))

      ;; Hover and completion
      (goto-char (point-min))
      (search-forward "clip_max_min")
      (backward-char 2)
      (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
        (check "hover tells the documented meaning"
               (string-match-p "IFMR" (eglot--format-markup (plist-get hover :contents))) hover))
      (goto-char (point-max))
      (insert "override_layer_conf")
      (completion-at-point)
      (check "completion completes a field" (save-excursion (beginning-of-line) (looking-at "override_layer_configs"))
             (thing-at-point 'line t))
      (delete-region (line-beginning-position) (point-max))
      (eglot--signal-textDocument/didChange)

      ;; The table
      (check "the mode line names the dialect" (wait-for (equal quantcfg--reading "mindspore-qat")) quantcfg--reading)
      (quantcfg-effective)
      (with-current-buffer "*quantcfg effective*"
        (check "the effective configuration is listed"
               (string-match-p "conv2 +nn.Conv2D +on (skip without effect) +override_layer_configs" (buffer-string))
               (buffer-string))
        (goto-char (point-min))
        (re-search-forward "^ *conv2 ")
        (quantcfg-effective-visit))
      (check "and leads to what decided"
             (with-current-buffer "quant.cfg" (looking-at-p "\"conv2\"")) (thing-at-point 'line t))
      (set-buffer "quant.cfg")
      (when (eglot--server-capable :documentFormattingProvider)
        (goto-char (point-min))
        (search-forward "ulq_quantize")
        (beginning-of-line)
        (insert "          ")
        (eglot-format-buffer)
        (check "formatting mends the indentation" (string-match-p "^    ulq_quantize" (buffer-string)) (buffer-string)))
      (check "strict mode has no complaint" (null complaints) complaints)
      (set-buffer-modified-p nil)
      (let ((server (eglot-current-server)))
        (eglot-shutdown server nil 10)
        (check "the server stops" (not (jsonrpc-running-p server)))))
  (error (check "no fault in the test" nil fault)))
(princ "all checks ran\n")
(set-buffer-modified-p nil)
(kill-emacs (if (= failed 0) 0 1))
;;; test.el ends here
