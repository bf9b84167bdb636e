;;; lokid.el --- Tell lokid which files are visited and saved -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))
;; Version: 0.2.0
;; Keywords: tools

;;; Commentary:

;; Everything goes over the daemon's socket and never waits for it; without a daemon nothing happens.
;; (require 'lokid) (lokid-mode 1)

;;; Code:

(require 'cl-lib)
(require 'json)

(defgroup lokid nil "The memory of a repository." :group 'tools)

(defcustom lokid-socket nil
  "Where the daemon listens; nil finds it as `lokid socket' does."
  :type '(choice (const :tag "The usual place" nil) file))

(defconst lokid--settle 0.2 "A file counts as opened when it is still shown after so many seconds.")
(defconst lokid--last-words 0.05 "How long the last words may take when Emacs is closed.")
(defconst lokid--patience 5 "After so many seconds a connection is given up.")

(defvar lokid--opened nil "The file about to be told.")
(defvar lokid--last-opened nil "The file told last.")
(defvar lokid--saved nil "Files to be told as edited.")
(defvar lokid--timer nil)
(defvar lokid--lighter "" "What the mode line shows.")

(defun lokid--socket ()
  "Where the daemon listens."
  (let* ((absolute (lambda (name)
                     (let ((value (getenv name)))
                       (and value (string-prefix-p "/" value) value))))
         (chosen (or lokid-socket (getenv "LOKID_SOCKET")))
         (home (or (getenv "HOME") "")))
    (cond ((and chosen (not (string-empty-p chosen))) chosen)
          ((eq system-type 'darwin) (concat home "/Library/Application Support/lokid/lokid.sock"))
          (t (concat (or (funcall absolute "XDG_RUNTIME_DIR")
                         (funcall absolute "XDG_STATE_HOME")
                         (concat home "/.local/state"))
                     "/lokid/lokid.sock")))))

(defun lokid--request (path body &optional on-answer)
  "Post the alist BODY to PATH and return the connection, or nil without a daemon.
ON-ANSWER gets the status and the decoded body, nil and nil without an answer."
  (let ((default-directory "/") (socket (lokid--socket)) (heard "") connection)
    (condition-case nil
        (when (file-exists-p socket)
          (setq connection (make-network-process :name "lokid" :family 'local :service socket
                                                 :coding 'binary :noquery t :buffer nil))
          (let ((watchdog (run-with-timer lokid--patience nil #'delete-process connection)))
            (set-process-filter connection (lambda (_ chunk) (setq heard (concat heard chunk))))
            (set-process-sentinel connection
                                  (lambda (process _)
                                    (unless (process-live-p process)
                                      (cancel-timer watchdog)
                                      (when on-answer (lokid--answered heard on-answer))))))
          (let ((text (encode-coding-string (json-encode body) 'utf-8)))
            (process-send-string
             connection
             (format (concat "POST /v1%s HTTP/1.1\r\nHost: lokid\r\nConnection: close\r\n"
                             "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s")
                     path (length text) text))))
      (error (setq connection nil)))
    (unless connection (when on-answer (funcall on-answer nil nil)))
    connection))

(defun lokid--answered (heard on-answer)
  "Hand what was HEARD to ON-ANSWER."
  (let ((status (and (string-match "\\`HTTP/1\\.[01] \\([0-9]+\\)" heard)
                     (string-to-number (match-string 1 heard))))
        (start (string-match "\r\n\r\n" heard)))
    (funcall on-answer status
             (and start (ignore-errors
                          (json-read-from-string
                           (decode-coding-string (substring heard (+ start 4)) 'utf-8)))))))

(defun lokid--file (buffer)
  "The real name of the file that BUFFER visits on this machine, or nil."
  (let ((name (and (buffer-live-p buffer) (buffer-file-name buffer))))
    (and name (not (file-remote-p name)) (file-truename name))))

(defun lokid--signal (type path &optional on-answer)
  "Tell the daemon that TYPE happened to PATH."
  (lokid--request "/signals" `((project . ,path) (type . ,type) (path . ,path)) on-answer))

(defun lokid--tell ()
  "Tell the daemon what waits to be told; return the connections."
  (when lokid--timer (cancel-timer lokid--timer) (setq lokid--timer nil))
  (let ((saved (prog1 lokid--saved (setq lokid--saved nil)))
        (opened (prog1 lokid--opened (setq lokid--opened nil))))
    (prog1 (mapcar (lambda (path) (lokid--signal "file_edited" path)) saved)
      (when (and opened (not (equal opened lokid--last-opened)))
        (setq lokid--last-opened opened)
        (lokid--signal "file_opened" opened
                       (lambda (status _)
                         (if status (lokid--count opened)
                           (setq lokid--last-opened nil lokid--lighter ""))))))))

(defun lokid--count (path)
  "Show in the mode line how many memories PATH calls for."
  (lokid--request "/context/predict" `((project . ,path) (file_opened . ,path) (k . 20))
                  (lambda (status answer)
                    (setq lokid--lighter
                          (if (eql status 200)
                              (format " lokid:%d" (length (alist-get 'predicted_memories answer)))
                            ""))
                    (force-mode-line-update))))

(defun lokid--soon ()
  "Tell what waits in a moment."
  (when lokid--timer (cancel-timer lokid--timer))
  (setq lokid--timer (run-with-timer lokid--settle nil #'lokid--tell)))

(defun lokid--on-open (&rest _)
  "The current buffer is looked at."
  (let ((path (lokid--file (current-buffer))))
    (when path (setq lokid--opened path) (lokid--soon))))

(defun lokid--on-switch (frame)
  "Another buffer is shown in FRAME."
  (with-current-buffer (window-buffer (frame-selected-window frame)) (lokid--on-open)))

(defun lokid--on-save ()
  "The current buffer was saved."
  (let ((path (lokid--file (current-buffer))))
    (when path (cl-pushnew path lokid--saved :test #'equal) (lokid--soon))))

(defun lokid--on-exit ()
  "What was saved just before the end is still told."
  (when lokid--saved
    (setq lokid--opened nil)
    (dolist (connection (delq nil (lokid--tell)))
      (accept-process-output connection lokid--last-words))))

;;;###autoload
(define-minor-mode lokid-mode
  "Tell lokid which files are visited and saved."
  :global t :lighter lokid--lighter
  (let ((change (if lokid-mode #'add-hook #'remove-hook)))
    (funcall change 'find-file-hook #'lokid--on-open)
    (funcall change 'window-buffer-change-functions #'lokid--on-switch)
    (funcall change 'after-save-hook #'lokid--on-save)
    (funcall change 'kill-emacs-hook #'lokid--on-exit)))

(defun lokid--show (path body words)
  "Ask PATH with BODY about the current file and show WORDS of the answer."
  (let ((place (or (lokid--file (current-buffer)) (expand-file-name default-directory))))
    (lokid--request path (cons (cons 'project place) body)
                    (lambda (status answer)
                      (if (not (eql status 200))
                          ;; Somebody asked, so somebody is told.
                          (message "lokid: %s" (or (alist-get 'detail answer)
                                                   "no daemon answers; `lokid run' starts one"))
                        (with-current-buffer (get-buffer-create "*lokid*")
                          (let ((inhibit-read-only t))
                            (erase-buffer)
                            (insert (funcall words answer))
                            (goto-char (point-min)))
                          (view-mode 1)
                          (display-buffer (current-buffer))))))))

;;;###autoload
(defun lokid-context ()
  "Show what is worth knowing about this file."
  (interactive)
  (let ((file (lokid--file (current-buffer))))
    (lokid--show "/context/assemble"
                 `((budget . 4000) (signals . ,(if file `((current_file . ,file)) (make-hash-table))))
                 (lambda (answer) (or (alist-get 'context answer) "")))))

;;;###autoload
(defun lokid-recall (query)
  "Show what is remembered about QUERY."
  (interactive "sRecall: ")
  (lokid--show "/recall" `((query . ,query) (k . 10))
               (lambda (answer)
                 (let ((found (append (alist-get 'results answer) nil)))
                   (if (null found) "Nothing is remembered about that."
                     (mapconcat (lambda (one)
                                  (format "%s · %s\n%s\n" (alist-get 'id one) (alist-get 'kind one)
                                          (or (alist-get 'summary one) (alist-get 'title one) "")))
                                found "\n"))))))

(provide 'lokid)
;;; lokid.el ends here
