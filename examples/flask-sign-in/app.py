# Shows where the claims of a person come from, step by step in docs/guides/no-name-or-email.md.
import os
import secrets

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

app = Flask(__name__)
app.secret_key = secrets.token_hex()
oauth = OAuth(app)
oauth.register(
    "gatehouse",
    client_id="my-flask-app",
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url="http://localhost:9000/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/")
def show():
    return session.get("user") or redirect(url_for("sign_in"))


@app.get("/sign-in")
def sign_in():
    return oauth.gatehouse.authorize_redirect(url_for("finish", _external=True))


@app.get("/callback")
def finish():
    token = oauth.gatehouse.authorize_access_token()
    # Authlib calls the claims of the ID token userinfo.
    session["user"] = {
        "id_token": token["userinfo"],
        "userinfo": oauth.gatehouse.userinfo(token=token),
    }
    return redirect(url_for("show"))
