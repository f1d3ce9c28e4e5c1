"""Sign-ins of browsers: signed cookies, tokens against forged requests, passwords."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from itsdangerous import BadSignature, URLSafeSerializer

from annotation.server.config import SECRET_FILE, SECRET_VARIABLE, secret_too_short
from worlds.errors import UserError

COOKIE = "rlhf_session"  # followed by a name of the study, as a host may have several
BROWSER_COOKIE = "rlhf_browser"  # likewise
CSRF_HEADER = "X-CSRF-Token"
SESSION_SEC = 30 * 24 * 3600.0
BROWSER_SEC = 365 * 24 * 3600.0
_TOKEN_BYTES = 32

_hasher = PasswordHasher()
_hashing = threading.Semaphore(2)  # each takes 64 MiB and a processor


def new_token() -> str:
    """Return the token of a new link or session: 256 random bits."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def token_hash(token: str) -> str:
    """Return the hash that the database keeps of a token: a reader of the database cannot use it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Signer:
    """Signs session tokens, and derives from each the token that its requests must carry.

    Attributes:
      cookie_name: name of the session's cookie. Servers of other studies on this host have others, as cookies do not
        depend on the port.
      browser_cookie_name: name of the cookie that says who has signed in in a browser. It stays at signing out.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._serializer = URLSafeSerializer(secret, salt="session")
        self._browsers = URLSafeSerializer(secret, salt="browser")
        study = hmac.new(self._secret, b"name", hashlib.sha256).hexdigest()[:8]
        self.cookie_name, self.browser_cookie_name = f"{COOKIE}_{study}", f"{BROWSER_COOKIE}_{study}"

    def cookie(self, token: str) -> str:
        """Return the cookie of the session ``token``."""
        signed = self._serializer.dumps(token)
        return signed if isinstance(signed, str) else signed.decode()

    def token(self, cookie: str | None) -> str | None:
        """Return the session that a cookie names; None if there is no cookie or its signature is not ours."""
        try:
            token = self._serializer.loads(cookie) if cookie else None
        except BadSignature:
            return None
        return token if isinstance(token, str) else None

    def session(self, cookies: Mapping[str, str]) -> str | None:
        """Return the session that a request's cookies name; an older version's cookie is without the study's name."""
        return self.token(cookies.get(self.cookie_name)) or self.token(cookies.get(COOKIE))

    def browser_cookie(self, person_id: str) -> str:
        """Return the cookie of a browser in which the person has signed in."""
        signed = self._browsers.dumps([person_id, secrets.token_hex(8)])
        return signed if isinstance(signed, str) else signed.decode()

    def browser(self, cookies: Mapping[str, str], person_id: str) -> str | None:
        """Return the id of a browser in which the person has signed in before; None for others."""
        try:
            found = self._browsers.loads(cookies.get(self.browser_cookie_name, ""))
        except BadSignature:
            return None
        return found[1] if found[0] == person_id else None

    def csrf(self, token: str) -> str:
        """Return the value that requests of the session ``token`` carry in ``CSRF_HEADER``."""
        return hmac.new(self._secret, b"csrf:" + token.encode(), hashlib.sha256).hexdigest()

    def csrf_matches(self, token: str, said: str) -> bool:
        """Return whether a request of the session comes from our own pages."""
        return hmac.compare_digest(self.csrf(token).encode(), said.encode())


def load_secret(folder: Path) -> str:
    """Return the secret from the environment, or else the one in ``folder``, which is made the first time.

    Raises UserError if the environment's is too short.
    """
    given = os.environ.get(SECRET_VARIABLE, "")
    if given:
        if secret_too_short(given):
            raise UserError(f"{SECRET_VARIABLE} has {len(given)} characters; give it at least 32 random ones")
        return given
    path = folder / SECRET_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        kept = path.read_text(encoding="utf-8").strip()
        if secret_too_short(kept):
            raise UserError(f"{path} is damaged; remove it (everybody signs in again)") from None
        return kept
    with os.fdopen(descriptor, "w") as file:
        file.write(secret := secrets.token_hex(32))
        file.flush()
        os.fsync(file.fileno())
    return secret


def hash_password(password: str) -> str:
    """Return the hash that the database keeps of a password (argon2id)."""
    with _hashing:
        return _hasher.hash(password)


def password_matches(kept: str | None, password: str) -> bool:
    """Return whether ``password`` is the one that was kept; this takes as long where none was."""
    nobodys = _nobodys()  # not only where it is needed: the first time it takes long
    try:
        with _hashing:
            return _hasher.verify(kept or nobodys, password) and kept is not None
    except (VerifyMismatchError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    """Return a hash to check against where there is no password, so that unknown names take as long as known ones."""
    return _hasher.hash(secrets.token_urlsafe())
