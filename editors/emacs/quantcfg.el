;;; quantcfg.el --- Major mode for quant.cfg of AMCT, with eglot -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: languages, tools
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Shows what AMCT, Huawei Ascend's model compression toolkit, will make of a
;; quant.cfg before it runs.  See the README beside this file.

;;; Code:

(require 'eglot)
(require 'jsonrpc)
(require 'tabulated-list)

(defgroup quantcfg nil
  "Configuration files of AMCT."
  :group 'languages)

(defcustom quantcfg-command '("quantcfg" "lsp")
  "The language server and its arguments."
  :type '(repeat string))

(defcustom quantcfg-indent-offset 4
  "Columns of one level of nesting."
  :type 'natnum
  :safe #'natnump)

(defvar quantcfg-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "\"" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?< "(>" table)
    (modify-syntax-entry ?> ")<" table)
    table)
  "Protobuf text format.")

(defconst quantcfg-font-lock-keywords
  `((,(rx bol (* blank) (+ "#") (* blank)
          (group (or (seq "quantcfg-" (+ (any "a-z-"))) "proto-file" "proto-message")) (? ":"))
     1 font-lock-preprocessor-face t)
    (,(rx symbol-start (group (any "A-Za-z_") (* (any "A-Za-z0-9_"))) (* space) (? ":") (* space) (any "{<"))
     1 font-lock-type-face)
    (,(rx symbol-start (group (any "A-Za-z_") (* (any "A-Za-z0-9_"))) (* space) ":")
     1 font-lock-variable-name-face)
    (,(rx symbol-start (or "true" "false" "True" "False" "t" "f" "inf" "nan") symbol-end)
     . font-lock-constant-face)
    (,(rx symbol-start (any "A-Z") (* (any "A-Z0-9_")) symbol-end) . font-lock-constant-face))
  "Headers, blocks, fields and constants.")

(defun quantcfg-indent-line ()
  "Indent the line by the number of blocks around it."
  (interactive)
  (let* ((depth (save-excursion
                  (back-to-indentation)
                  (- (car (syntax-ppss)) (if (looking-at (rx (any "]}>"))) 1 0))))
         (column (* quantcfg-indent-offset (max depth 0))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

(defvar quantcfg-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-e") #'quantcfg-effective)
    map)
  "Keys of `quantcfg-mode'.")

(defvar-local quantcfg--reading nil
  "What the server reads this buffer as.")

;;;###autoload
(define-derived-mode quantcfg-mode prog-mode "quantcfg"
  "Configuration files of AMCT."
  (setq-local comment-start "# "
              comment-start-skip "#+[ \t]*"
              indent-tabs-mode nil
              indent-line-function #'quantcfg-indent-line
              font-lock-defaults '(quantcfg-font-lock-keywords)
              mode-line-process '(quantcfg--reading (":" quantcfg--reading))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\(?:\\`\\|[./]\\)quant\\.cfg\\'" . quantcfg-mode))

(add-to-list 'eglot-server-programs (cons 'quantcfg-mode (lambda (&rest _) quantcfg-command)))

(cl-defmethod eglot-handle-notification (_server (_method (eql 'quantcfg/status)) &key uri schema &allow-other-keys)
  "Keep SCHEMA, which the server reads the document URI as, for the mode line."
  (when-let ((buffer (find-buffer-visiting (quantcfg--path uri))))
    (with-current-buffer buffer
      (setq quantcfg--reading schema)
      (force-mode-line-update))))

(defun quantcfg--path (uri)
  "The file of URI."
  ;; Eglot made it public under another name.
  (funcall (if (fboundp 'eglot-uri-to-path) 'eglot-uri-to-path 'eglot--uri-to-path) uri))

;;; The effective configuration

(defvar-local quantcfg--source nil
  "The buffer whose layers are listed.")

(define-derived-mode quantcfg-effective-mode tabulated-list-mode "quantcfg-effective"
  "Layers of a network and what AMCT does with them.
\\<quantcfg-effective-mode-map>\\[quantcfg-effective-visit] goes to what decided the layer."
  (setq tabulated-list-format [("Layer" 24 t) ("Type" 16 t) ("State" 24 t) ("Decided by" 26 t) ("Because" 0 nil)])
  (tabulated-list-init-header))
(define-key quantcfg-effective-mode-map (kbd "RET") #'quantcfg-effective-visit)

(defun quantcfg--true (value)
  "Whether the JSON VALUE is true."
  (and value (not (eq value :json-false))))

(defun quantcfg--state (layer)
  "What becomes of LAYER, in words with a colour."
  (let ((is-skipped (or (quantcfg--true (plist-get layer :skip_by_name))
                        (quantcfg--true (plist-get layer :skip_by_type)))))
    (cond ((not (quantcfg--true (plist-get layer :enabled))) (propertize "off" 'face 'error))
          (is-skipped (propertize "on (skip without effect)" 'face 'warning))
          (t (propertize "on" 'face 'success)))))

(defun quantcfg--row (layer)
  "The row of LAYER; its id is the first place that counts."
  (let* ((because (append (plist-get layer :because) nil))
         (range (seq-some (lambda (reason) (plist-get reason :range)) because)))
    (list (cons (plist-get layer :name) (plist-get range :start))
          (vector (plist-get layer :name)
                  (or (plist-get layer :type) "?")
                  (quantcfg--state layer)
                  (or (plist-get layer :source) "")
                  (mapconcat (lambda (reason) (plist-get reason :message)) because "; ")))))

(defun quantcfg-effective ()
  "List what AMCT will do with every layer of the network."
  (interactive)
  (let* ((source (current-buffer))
         (server (or (eglot-current-server) (user-error "No server here; try M-x eglot")))
         ;; Deferred: after the changes that the server does not know yet.
         (answer (jsonrpc-request server :quantcfg/effective (eglot--TextDocumentIdentifier)
                                  :deferred :quantcfg/effective))
         (refusal (plist-get answer :error)))
    (cond ((null answer) (user-error "There is no effective configuration for this file"))
          (refusal (user-error "AMCT refuses this file: %s: %s"
                               (plist-get refusal :type) (plist-get refusal :message))))
    (with-current-buffer (get-buffer-create "*quantcfg effective*")
      (quantcfg-effective-mode)
      (setq quantcfg--source source
            tabulated-list-entries (mapcar #'quantcfg--row (plist-get answer :layers)))
      (tabulated-list-print)
      (display-buffer (current-buffer)))))

(defun quantcfg-effective-visit ()
  "Go to what decided the layer of this line."
  (interactive)
  (let ((place (or (cdr (tabulated-list-get-id)) (user-error "Nothing in the file decided it"))))
    (pop-to-buffer quantcfg--source)
    (goto-char (point-min))
    (forward-line (1- (plist-get place :line)))
    (forward-char (1- (plist-get place :column)))))

(provide 'quantcfg)
;;; quantcfg.el ends here
