// Calls an API as a machine, step by step in docs/guides/dotnet.md.
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text.Json;

// What the machine calls; put your own in its place.
const string Api = "http://localhost:9001/organization/api/organization/user/allDetails/userId/robot@example.com";

using var client = new HttpClient();
using var answer = await client.PostAsync("http://localhost:9000/oauth/token", new FormUrlEncodedContent([
    new("grant_type", "client_credentials"),
    new("client_id", "my-dotnet-job"),
    new("client_secret", Environment.GetEnvironmentVariable("CLIENT_SECRET")),
]));
answer.EnsureSuccessStatusCode();
var tokens = await answer.Content.ReadFromJsonAsync<JsonElement>();
// Of use for `expires_in` seconds: a job that runs for longer asks again then.
var token = tokens.GetProperty("access_token").GetString();
client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
Console.WriteLine(await client.GetStringAsync(Api));
