// Signs people in with Gatehouse, step by step in docs/guides/dotnet.md.
using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

const string Issuer = "http://localhost:9000";
const string Origin = "http://localhost:3000";
const string Api = "http://localhost:9001/organization/api/organization/user/allDetails/userId/";

var secret = Environment.GetEnvironmentVariable("CLIENT_SECRET")
    ?? throw new InvalidOperationException("CLIENT_SECRET is missing");

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseUrls(Origin);
builder.Services.AddHttpClient();
builder.Services.AddAuthorization();
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = Issuer;
        // The handler refuses http, which is for development.
        options.RequireHttpsMetadata = Issuer.StartsWith("https:");
        options.ClientId = "my-dotnet-app";
        options.ClientSecret = secret;
        options.ResponseType = "code";
        options.Scope.Add("email");
        options.CallbackPath = "/callback";
        options.SignedOutCallbackPath = "/signed-out";
        // Claims keep their names, and come from userinfo.
        options.MapInboundClaims = false;
        options.GetClaimsFromUserInfoEndpoint = true;
        options.ClaimActions.MapUniqueJsonKey("preferred_username", "preferred_username");
        // The tokens stand in the cookie, which is encrypted.
        options.SaveTokens = true;
        options.Events.OnRemoteFailure = context =>
        {
            Console.Error.WriteLine($"the sign-in failed: {context.Failure?.Message}");
            context.Response.Redirect("/");
            context.HandleResponse();
            return Task.CompletedTask;
        };
    });

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();

app.MapGet("/", () => Html("""<h1>My application</h1><a href="/account">My account</a>"""));

app.MapGet("/account", async (HttpContext context, ClaimsPrincipal user, IHttpClientFactory clients) =>
{
    var expiry = await context.GetTokenAsync("expires_at");
    if (expiry is null || DateTimeOffset.Parse(expiry, CultureInfo.InvariantCulture) <= DateTimeOffset.UtcNow)
    {
        // Gatehouse knows the person, and answers with new tokens.
        return Results.Challenge();
    }
    var address = Api + Uri.EscapeDataString(Read(user, "preferred_username"));
    using var request = new HttpRequestMessage(HttpMethod.Get, address);
    var token = await context.GetTokenAsync("access_token");
    request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
    using var answer = await clients.CreateClient().SendAsync(request);
    var details = await answer.Content.ReadAsStringAsync();
    return Html($"""
        <h1>Hello, {Encode(Read(user, "name"))}</h1><p>{Encode(Read(user, "email"))}</p><pre>{Encode(details)}</pre>
        <form method="post" action="/sign-out"><button>Sign out</button></form>
        """);
}).RequireAuthorization();

// Here and at Gatehouse.
app.MapPost("/sign-out", () => Results.SignOut(
    new AuthenticationProperties { RedirectUri = "/" },
    [CookieAuthenticationDefaults.AuthenticationScheme, OpenIdConnectDefaults.AuthenticationScheme]));

app.Run();

static string Read(ClaimsPrincipal user, string claim) => user.FindFirst(claim)?.Value ?? "";
static string Encode(string text) => WebUtility.HtmlEncode(text);
static IResult Html(string text) => Results.Text(text, "text/html; charset=utf-8");
