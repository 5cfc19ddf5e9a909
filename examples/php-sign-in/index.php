<?php
// Signs people in with Gatehouse, step by step in docs/guides/php.md.
declare(strict_types=1);

use Jumbojett\OpenIDConnectClient;
use Jumbojett\OpenIDConnectClientException;

require __DIR__ . '/vendor/autoload.php';

const ISSUER = 'http://localhost:9000';
const ORIGIN = 'http://localhost:3000';
const API = 'http://localhost:9001/organization/api/organization/user/allDetails/userId/';

// The session stays on the server, so it may have tokens. With more than one machine, a store of all of them.
session_start([
    'use_strict_mode' => true,
    'cookie_httponly' => true,
    'cookie_samesite' => 'Lax',
    'cookie_secure' => str_starts_with(ORIGIN, 'https:'),
]);

$gatehouse = new OpenIDConnectClient(ISSUER, 'my-php-app', getenv('CLIENT_SECRET') ?: null);
$gatehouse->setRedirectURL(ORIGIN . '/callback');
$gatehouse->addScope(['profile', 'email']);
$gatehouse->setCodeChallengeMethod('S256');

function redirect(string $path): never
{
    header("Location: $path", true, 303);
    exit;
}

function keepTokens(object $tokens): void
{
    $_SESSION['access_token'] = $tokens->access_token;
    $_SESSION['refresh_token'] = $tokens->refresh_token ?? $_SESSION['refresh_token'] ?? '';
    $_SESSION['renew_at'] = time() + $tokens->expires_in - 10;
}

function signIn(OpenIDConnectClient $gatehouse): never
{
    try {
        // At /sign-in it leads to Gatehouse, and ends here. At /callback it checks the answer.
        $gatehouse->authenticate();
        $user = $gatehouse->requestUserInfo();
        if ($user->sub !== $gatehouse->getVerifiedClaims('sub')) {
            throw new OpenIDConnectClientException('the answer of userinfo is of another user');
        }
    } catch (OpenIDConnectClientException $error) {
        error_log("the sign-in failed: {$error->getMessage()}");
        redirect('/');
    }
    // Nobody else knows the id of the new session.
    session_regenerate_id(true);
    $_SESSION = ['id_token' => $gatehouse->getIdToken(), 'user' => (array) $user];
    keepTokens($gatehouse->getTokenResponse());
    redirect('/account');
}

function readAccessToken(OpenIDConnectClient $gatehouse): string
{
    if (time() > $_SESSION['renew_at']) {
        $renewed = $gatehouse->refreshToken($_SESSION['refresh_token']);
        if (!isset($renewed->access_token)) {
            redirect('/sign-in');
        }
        keepTokens($renewed);
    }
    return $_SESSION['access_token'];
}

function showAccount(OpenIDConnectClient $gatehouse): void
{
    if (!isset($_SESSION['user'])) {
        redirect('/sign-in');
    }
    ['preferred_username' => $username, 'name' => $name, 'email' => $email] = $_SESSION['user'] + ['name' => '', 'email' => ''];
    $headers = ['header' => 'Authorization: Bearer ' . readAccessToken($gatehouse), 'ignore_errors' => true];
    $details = file_get_contents(API . rawurlencode($username), false, stream_context_create(['http' => $headers]));
    [$name, $email, $details] = array_map('htmlspecialchars', [$name, $email, (string) $details]);
    echo "<h1>Hello, $name</h1><p>$email</p><pre>$details</pre>
        <form method=\"post\" action=\"/sign-out\"><button>Sign out</button></form>";
}

function signOut(OpenIDConnectClient $gatehouse): never
{
    $idToken = $_SESSION['id_token'] ?? null;
    session_destroy();
    if ($idToken !== null) {
        // It leads to Gatehouse, and ends here.
        $gatehouse->signOut($idToken, ORIGIN . '/');
    }
    redirect('/');
}

match ($_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    'GET /' => print '<h1>My application</h1><a href="/account">My account</a>',
    'GET /sign-in', 'GET /callback' => signIn($gatehouse),
    'GET /account' => showAccount($gatehouse),
    'POST /sign-out' => signOut($gatehouse),
    default => http_response_code(404),
};
