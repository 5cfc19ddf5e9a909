<?php
// Calls an API as a machine, step by step in docs/guides/php.md.
declare(strict_types=1);

use Jumbojett\OpenIDConnectClient;

require __DIR__ . '/vendor/autoload.php';

// What the machine calls; put your own in its place.
const API = 'http://localhost:9001/organization/api/organization/user/allDetails/userId/robot@example.com';

$machine = new OpenIDConnectClient('http://localhost:9000', 'my-php-job', getenv('CLIENT_SECRET') ?: null);
$machine->addScope(['profile']);
// Of use for `expires_in` seconds: a job that runs for longer asks again then.
$token = $machine->requestClientCredentialsToken();
if (!isset($token->access_token)) {
    fwrite(STDERR, "there is no token: $token->error\n");
    exit(1);
}
$headers = ['header' => "Authorization: Bearer $token->access_token"];
echo file_get_contents(API, false, stream_context_create(['http' => $headers]));
