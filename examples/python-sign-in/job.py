# Calls an API as a machine, step by step in docs/guides/python.md.
import os

from authlib.integrations.requests_client import OAuth2Session

# What the machine calls; put your own in its place.
API = "http://localhost:9001/organization/api/organization/user/allDetails/userId/robot@example.com"

machine = OAuth2Session(
    "my-python-job",
    os.environ["CLIENT_SECRET"],
    token_endpoint="http://localhost:9000/oauth/token",
    grant_type="client_credentials",
)
machine.fetch_token()
# It keeps the token, sends it with each request, and asks for the next one when it has expired.
print(machine.get(API).text)
