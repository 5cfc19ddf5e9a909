# Signs people in with Gatehouse, step by step in docs/guides/python.md.
import os
import secrets
from urllib.parse import quote, urlencode

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session
from markupsafe import Markup

ISSUER = "http://localhost:9000"
ORIGIN = "http://localhost:3000"
API = "http://localhost:9001/organization/api/organization/user/allDetails/userId/"

ACCOUNT = Markup(
    """<h1>Hello, {name}</h1><p>{email}</p><pre>{details}</pre>
    <form method="post" action="/sign-out"><button>Sign out</button></form>"""
)

app = Flask(__name__)
app.config.update(
    SECRET_KEY=os.environ["SESSION_SECRET"],
    SESSION_COOKIE_SAMESITE="Lax",
    SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"),
)
# Of people who are signed in, by the id in their session: a browser can read the session, so it has no token.
# With more than one process, a store of all of them.
people = {}
tokens = {}


def keep_renewed(_name, token, **_old):
    tokens[session["id"]].update(token)


oauth = OAuth(app, update_token=keep_renewed)
oauth.register(
    "gatehouse",
    client_id="my-python-app",
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/")
def start():
    return '<h1>My application</h1><a href="/account">My account</a>'


@app.get("/sign-in")
def sign_in():
    return oauth.gatehouse.authorize_redirect(f"{ORIGIN}/callback")


@app.get("/callback")
def finish():
    try:
        token = oauth.gatehouse.authorize_access_token()
    except OAuthError as error:
        app.logger.warning("the sign-in failed: %s", error)
        return redirect("/")
    session.clear()
    session["id"] = secrets.token_urlsafe()
    tokens[session["id"]] = token
    # The name and the e-mail address come from userinfo; token["userinfo"] is the ID token.
    people[session["id"]] = oauth.gatehouse.userinfo(token=token)
    return redirect("/account")


@app.get("/account")
def account():
    user = people.get(session.get("id"))
    if user is None:
        return redirect("/sign-in")
    # Sends the user's access token, and renews it where it has expired.
    details = oauth.gatehouse.get(API + quote(user["preferred_username"]), token=tokens[session["id"]])
    return ACCOUNT.format(name=user.get("name"), email=user.get("email"), details=details.text)


@app.post("/sign-out")
def sign_out():
    people.pop(session.get("id"), None)
    token = tokens.pop(session.get("id"), None)
    session.clear()
    query = {"post_logout_redirect_uri": f"{ORIGIN}/", "client_id": oauth.gatehouse.client_id}
    if token is not None:
        query["id_token_hint"] = token["id_token"]
    address = oauth.gatehouse.load_server_metadata()["end_session_endpoint"]
    return redirect(f"{address}?{urlencode(query)}", 303)
