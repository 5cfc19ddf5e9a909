export const grantTypes = [
  ...['authorization_code', 'refresh_token', 'client_credentials', 'service_account'],
  ...['urn:ietf:params:oauth:grant-type:device_code', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  ...['password', 'implicit'],
];
