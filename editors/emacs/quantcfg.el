;;; quantcfg.el --- quant.cfg with eglot -*- lexical-binding: t -*-
;; Load this file, then `M-x eglot' in a quant.cfg, or add `eglot-ensure' to the hook. Not tested here yet.
(define-derived-mode quantcfg-mode prog-mode "quantcfg"
  "Configuration files of AMCT."
  (setq-local comment-start "# "))
(modify-syntax-entry ?# "<" quantcfg-mode-syntax-table)
(modify-syntax-entry ?\n ">" quantcfg-mode-syntax-table)
(add-to-list 'auto-mode-alist '("quant\\.cfg\\'" . quantcfg-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(quantcfg-mode . ("quantcfg" "lsp"))))
(provide 'quantcfg)
;;; quantcfg.el ends here
