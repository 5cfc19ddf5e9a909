// Made by npm run docs:types of the service's /openapi.json.

export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures in the Prometheus text format */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List clients, a page at a time
         * @description The filters combine by "and". A page of a search or filter examines at most 10,000 entries: it may be short or empty and still have `next_cursor`. A search by words gives its clients in the order of their words.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Register a client
         * @description For a SystemAdministrator or IdpAdministrator. The answer is one line of plain text; with `Prefer: return=representation` (RFC 7240) it is the client, and a secret that it needs and does not name is made here.
         */
        post: operations["registerClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a client */
        get: operations["getClient"];
        put?: never;
        post?: never;
        /** Delete a client */
        delete: operations["deleteClient"];
        options?: never;
        head?: never;
        /**
         * Change a client
         * @description What is left out stays as it is; null takes redirect_uri or srvc_ac_user_name away. `trusted`: a SystemAdministrator raises the ceiling to all roles. `enabled`: false ends the codes and access tokens of the client and has it refused everywhere; true lets it go on, with its refresh tokens. A client of a metadata document takes `enabled` alone.
         */
        patch: operations["changeClient"];
        trace?: never;
    };
    "/clients/{client_id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the secret */
        post: operations["makeClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/{client_id}/secret/previous": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the previous secret
         * @description For an old secret that still works for a while. 404 where there is none.
         */
        delete: operations["endPreviousClientSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/{client_id}/secret-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a secret
         * @description Whether it works now. Wrong ones count against the caller, never against the client.
         */
        post: operations["checkClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/{client_id}/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the logo of a client */
        get: operations["getClientLogo"];
        /**
         * Put the logo of a client
         * @description A PNG image of at most 48 KiB and 2048 by 2048 pixels.
         */
        put: operations["putClientLogo"];
        post?: never;
        /** Delete the logo of a client */
        delete: operations["deleteClientLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List resources, a page at a time */
        get: operations["listResources"];
        put?: never;
        /**
         * Register a resource
         * @description An API of your own, for which clients then may ask for access tokens (RFC 8707).
         */
        post: operations["registerResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/resources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a resource */
        get: operations["getResource"];
        put?: never;
        post?: never;
        /** Delete a resource */
        delete: operations["deleteResource"];
        options?: never;
        head?: never;
        /**
         * Change a resource
         * @description What is left out stays as it is; null takes access_token_validity away. `scopes` replaces all: a scope that is taken away and added again later is a new one, which users are asked for again.
         */
        patch: operations["changeResource"];
        trace?: never;
    };
    "/issuers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List issuers, a page at a time */
        get: operations["listIssuers"];
        put?: never;
        /**
         * Register an issuer
         * @description An issuer whose tokens clients may prove themselves by, in place of a secret.
         */
        post: operations["registerIssuer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an issuer */
        get: operations["getIssuer"];
        put?: never;
        post?: never;
        /** Delete an issuer */
        delete: operations["deleteIssuer"];
        options?: never;
        head?: never;
        /**
         * Change an issuer
         * @description What is left out stays as it is; null takes jwks or jwks_uri away. The keys that were read before are forgotten.
         */
        patch: operations["changeIssuer"];
        trace?: never;
    };
    "/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List upstreams, a page at a time */
        get: operations["listUpstreams"];
        put?: never;
        /**
         * Register an upstream
         * @description Another server where people sign in: a button of the sign-in page.
         */
        post: operations["registerUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upstreams/{alias}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an upstream */
        get: operations["getUpstream"];
        put?: never;
        post?: never;
        /** Delete an upstream */
        delete: operations["deleteUpstream"];
        options?: never;
        head?: never;
        /**
         * Change an upstream
         * @description What is left out stays as it is.
         */
        patch: operations["changeUpstream"];
        trace?: never;
    };
    "/upstreams/{alias}/secret-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a secret
         * @description Whether it is the one that is kept. Wrong ones count against the caller.
         */
        post: operations["checkUpstreamSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions, a page at a time
         * @description Those in force, the oldest first; of one user where `user` names one.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End all sessions of a user
         * @description And every grant of the user, offline access included.
         */
        delete: operations["endSessionsOfUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{sid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a session */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * End a session
         * @description As a sign-out does, back-channel logout included.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List audit events, newest first, a page at a time */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List grants, a page at a time
         * @description Those that go on with a refresh token, the oldest first. Of a client, without those of users who have a role that the caller lacks: a page may be shorter.
         */
        get: operations["listGrants"];
        put?: never;
        post?: never;
        /**
         * End all grants of a user, of a client, or of both
         * @description Of a user, codes that wait end too. Consents stay.
         */
        delete: operations["endGrants"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a grant
         * @description Its refresh token and its access tokens end.
         */
        delete: operations["endGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List consents, a page at a time
         * @description What users allow third-party clients. Of a client, without those of users who have a role that the caller lacks: a page may be shorter.
         */
        get: operations["listConsents"];
        put?: never;
        post?: never;
        /**
         * Take a consent of a user back
         * @description As the user does: the grants of the client for the user end too. Nothing where there is none.
         */
        delete: operations["withdrawConsent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the configuration in force
         * @description Of the process that answers. No secret, no user information of a URL and no path of a file.
         */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the signing keys */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the next signing keys
         * @description They are shown now and sign in ten minutes. The keys before are shown for a day after that.
         */
        post: operations["rotateKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List refused requests, newest first, a page at a time
         * @description Those of the last 24 hours, with the reason that the answer does not tell.
         */
        get: operations["listRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refusals/{request}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the refusals of a request
         * @description By its id, which callers may choose: the oldest 20, each with the network that it came from.
         */
        get: operations["getRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what to mend, to decide and to know
         * @description The weightiest first. What is not there is not listed.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/{client_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the tokens of a client
         * @description What the access token, the ID token and userinfo would say, or why nothing would be issued. Nothing is signed, stored or counted. `jti`, `status`, `grant_id`, `sid` and times are absent.
         */
        post: operations["previewTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count sign-ins, tokens and refusals
         * @description By hour, kept for 35 days, or by day, kept for 400; at most 744 steps.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/registration-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List initial access tokens, a page at a time */
        get: operations["listInitialAccessTokens"];
        put?: never;
        /**
         * Make an initial access token
         * @description By it clients register themselves (RFC 7591). They get no role that the caller lacks.
         */
        post: operations["makeInitialAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/registration-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an initial access token
         * @description Clients that registered by it go on.
         */
        delete: operations["deleteInitialAccessToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all that is kept of a user
         * @description The document that users download at `/account/data`.
         */
        get: operations["getUserData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/jwks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys of the realm
         * @description RFC 7517.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys of the realm
         * @description RFC 7517.
         */
        get: operations["getWellKnownJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/status-lists/{listId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of access tokens
         * @description Token Status List: a signed, compressed list with one bit for each access token; 1 is revoked. With `If-None-Match` and `Prefer: wait=<seconds>` (RFC 7240, at most 30) the answer comes when the list changes, or as a 304 when the time is over. `Preference-Applied: wait` says that the answer was allowed to wait.
         */
        get: operations["getStatusList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** OpenID Provider metadata */
        get: operations["getOpenidConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Authorization server metadata (RFC 8414) */
        get: operations["getAuthorizationServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Obtain tokens
         * @description RFC 6749: password, authorization_code (PKCE), refresh_token, client_credentials. RFC 8628: device codes. RFC 8693: token exchange.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether a token is in force
         * @description RFC 7662, for confidential clients.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a token
         * @description RFC 7009. A refresh token ends together with everything issued from its grant.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Claims about the user (GET)
         * @description OpenID Connect Core 5.3: for an access token with scope openid. A signed JWT for clients with userinfo_signed_response_alg.
         */
        get: operations["getUserinfo"];
        put?: never;
        /**
         * Claims about the user (POST)
         * @description OpenID Connect Core 5.3: for an access token with scope openid. A signed JWT for clients with userinfo_signed_response_alg.
         */
        post: operations["getUserinfoByPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/par": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Push an authorization request
         * @description RFC 9126: the parameters of the authorization endpoint, sent by the client itself; signed in request, where it has keys (RFC 9101).
         */
        post: operations["pushAuthorizationRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/device_authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a device code
         * @description RFC 8628 3.1: for a client that has no browser. A user allows it on another device.
         */
        post: operations["requestDeviceCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a client
         * @description RFC 7591. Users decide what the client gets; it never gets roles.
         */
        post: operations["registerDynamicClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/register/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the own registration
         * @description RFC 7592. For the holder of the registration access token.
         */
        get: operations["getOwnRegistration"];
        /**
         * Replace the own registration
         * @description RFC 7592. For the holder of the registration access token.
         */
        put: operations["replaceOwnRegistration"];
        post?: never;
        /**
         * Delete the own registration
         * @description RFC 7592. For the holder of the registration access token.
         */
        delete: operations["deleteOwnRegistration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Authorization endpoint
         * @description RFC 6749 3.1, OpenID Connect Core 3, RFC 9101, RFC 9207.
         */
        get: operations["authorize"];
        put?: never;
        /**
         * Authorization endpoint, by form
         * @description OpenID Connect Core 3.1.2.1: the parameters of the GET, as a form.
         */
        post: operations["authorizeByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Connect a device
         * @description RFC 8628 3.3: the verification URI.
         */
        get: operations["connectDevice"];
        put?: never;
        /** Connect a device, by the forms of that page */
        post: operations["connectDeviceByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Applications with access to your account */
        get: operations["showConsents"];
        put?: never;
        /** Withdraw a consent, by the form of that page */
        post: operations["withdrawConsentByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign out
         * @description OpenID Connect RP-Initiated Logout 1.0: id_token_hint, client_id, post_logout_redirect_uri, state, ui_locales. Asks the user unless the sid of the hint is this browser’s session.
         */
        get: operations["signOut"];
        put?: never;
        /**
         * Sign out
         * @description OpenID Connect RP-Initiated Logout 1.0: id_token_hint, client_id, post_logout_redirect_uri, state, ui_locales. Asks the user unless the sid of the hint is this browser’s session.
         */
        post: operations["signOutByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this is, and where to go on
         * @description A page; JSON for `Accept: application/json`.
         */
        get: operations["getStart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process runs */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The service can work */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 9457 problem details */
        ProblemDetails: {
            /** @description `about:blank`: the status says it all */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description The request id, as `urn:request:<id>` */
            instance?: string;
            errors?: {
                /** @description Name of the field; `body` where the whole body is at fault */
                field: string;
                /** @description What is expected */
                detail: string;
            }[];
            /** @description Of a 412: the object as it is now */
            current?: unknown;
        };
        /** @description RFC 6749 section 5.2 */
        OAuthError: {
            error: string;
            error_description: string;
        };
        DryRun: {
            /** @description The object as it is */
            before?: unknown;
            /** @description The object as it would be */
            after?: unknown;
            changes: {
                field: string;
                from?: unknown;
                to?: unknown;
            }[];
            ends: {
                /** @enum {unknown} */
                what: "access_tokens" | "refresh_tokens" | "codes" | "consents" | "sessions";
                count?: number;
                /** @description Where false, there may be more; of access_tokens fewer */
                count_is_exact?: boolean;
            }[];
        };
        Client: {
            client_id: string;
            scope: string[];
            authorized_grant_types: ("authorization_code" | "client_credentials" | "password" | "refresh_token" | "implicit" | "service_account" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange")[];
            redirect_uri?: string;
            /** @description Seconds */
            access_token_validity: number;
            srvc_ac_user_name?: string;
            /** @description Name that users see */
            client_name?: string;
            /** @description Its website, which pages link to */
            client_uri?: string;
            /** @description Its privacy policy, which pages link to */
            policy_uri?: string;
            /** @description Its terms of service, which pages link to */
            tos_uri?: string;
            /** @description Kept and given back; pages show only a logo that an administrator put here */
            logo_uri?: string;
            /**
             * @description fapi2: a client of the FAPI 2.0 Security Profile. Implies private_key_jwt, pushed requests, PKCE, bound tokens and ES256. fapi2_message_signing: one of FAPI 2.0 Message Signing, whose requests are signed, too. oauth21: one of OAuth 2.1. Implies PKCE
             * @enum {unknown}
             */
            profile?: "fapi2" | "fapi2_message_signing" | "oauth21";
            /** @description URIs of the resources it may ask for (RFC 8707); org-api alone where left out */
            resources?: string[];
            /** @description The one of its resources that a request without resource means; org-api where left out */
            default_resource?: string;
            /** @description client_ids of the clients whose access tokens it may exchange (RFC 8693); its own where left out; not with require_consent */
            exchange_from?: string[];
            /** @description URIs of the resources whose access tokens it may exchange (RFC 8693): the aud of such a token. Required with the grant type token-exchange, and accepted only with it */
            exchange_audiences?: string[];
            /** @description Callback URLs, matched exactly: the ones in addition to redirect_uri, or all of them */
            redirect_uris?: string[];
            /**
             * @description any: a redirect URI of http://127.0.0.1 or http://[::1] matches with every port (RFC 8252 7.3). Requires PKCE
             * @enum {unknown}
             */
            loopback_ports?: "any";
            /** @description Where the browser may be sent after signing out */
            post_logout_redirect_uris?: string[];
            /**
             * @description The one way in which the client authenticates; any that fits its credentials where left out
             * @enum {unknown}
             */
            token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | "federated_jwt";
            jwks?: {
                keys: ({
                    kty: string;
                } & {
                    [key: string]: unknown;
                })[];
            };
            /** @description The https URL of such a set, in place of jwks: it is read when its keys are needed */
            jwks_uri?: string;
            /**
             * @description How ID tokens for the client are signed; RS256 where left out
             * @enum {unknown}
             */
            id_token_signed_response_alg?: "RS256" | "ES256";
            /** @description Whether ID tokens of the code flow also carry the claims that the granted scopes open */
            id_token_scope_claims?: boolean;
            /** @description Where the client is told that a session ended; in production no loopback host */
            backchannel_logout_uri?: string;
            /** @description Whether logout tokens must name the session; they always do */
            backchannel_logout_session_required?: boolean;
            /** @description Whether users are asked before the client gets anything: a third-party client; not with the grant type password */
            require_consent?: boolean;
            /** @description Whether PKCE is required (RFC 7636), which it is of every public client */
            require_pkce?: boolean;
            /** @description Whether authorization requests must be pushed (RFC 9126) */
            require_pushed_authorization_requests?: boolean;
            /** @description How users should sign in where a request does not say (acr_values), the preferred level first: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr */
            default_acr_values?: string[];
            /** @description Seconds since the sign-in, at most, where a request does not say (max_age) */
            default_max_age?: number;
            /** @description The lowest level by which users sign in: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr; above the first not with the grant type password */
            required_acr?: string;
            /** @description Seconds since the sign-in, at most, for administrative requests that change something; no limit where left out */
            administration_max_age?: number;
            /** @description Whether every token must be bound to a key (RFC 9449) */
            dpop_bound_access_tokens?: boolean;
            /**
             * @description How answers of the authorization endpoint are signed where response_mode asks for that (JARM); RS256 where left out
             * @enum {unknown}
             */
            authorization_signed_response_alg?: "RS256" | "ES256";
            /**
             * @description How userinfo is signed, which is plain JSON where left out
             * @enum {unknown}
             */
            userinfo_signed_response_alg?: "RS256" | "ES256";
            /**
             * @description How introspection is signed where a JWT is asked for (RFC 9701); RS256 where left out
             * @enum {unknown}
             */
            introspection_signed_response_alg?: "RS256" | "ES256";
            /**
             * @description The only signature of its request objects (RFC 9101); any of these where left out
             * @enum {unknown}
             */
            request_object_signing_alg?: "ES256" | "RS256" | "PS256" | "Ed25519" | "EdDSA";
            /** @description https URLs at which it puts request objects: request_uri may be one of these */
            request_uris?: string[];
            /** @description Whether authorization requests must be signed (RFC 9101) */
            require_signed_request_object?: boolean;
            /** @description Where a sign-in to it begins from elsewhere (OpenID Connect Core 4), as from /account/applications, which links to it */
            initiate_login_uri?: string;
            /** @description The tokens of issuers that prove the client with federated_jwt, each by the exact sub or claims, and by its aud: AUTH_URL where left out */
            federated_credentials?: {
                issuer: string;
                subject?: string;
                claims?: {
                    [key: string]: string;
                };
                audience?: string;
            }[];
            /** @description Groups of which users have to be in one to sign in; any user may where left out */
            allowed_groups?: string[];
            /** @description The project that administers it; `configuration`: built in, administrators cannot change it. Else left out */
            managed_by?: string;
            /** @description The roles that can be used through it at most */
            ceiling: ("SystemAdministrator" | "IdpAdministrator" | "DirectoryReader")[];
            /** @description When an administrator who has all roles let it use all of them; left out where it has fewer, and where that is not known */
            ceiling_given_at?: string;
            /** @description Whether it has no secret */
            public: boolean;
            /** @description false: it is refused everywhere */
            enabled: boolean;
            /** @description Whether it registered itself */
            dynamic: boolean;
            /** @description Of a client whose client_id is the URL of its metadata document; else left out */
            metadata_document?: {
                url: string;
                /** @description RFC 3339, UTC */
                readAt: string;
                /** @description From when on it is read again. RFC 3339, UTC */
                expiresAt: string;
            };
            /** @description When a token was issued to it last, within the hour; left out where none was */
            last_used_at?: string;
            /** @description When its secret was set; left out where there is none, and where that is not known */
            secret_set_at?: string;
            /** @description Whether the server made its secret */
            secret_made_here?: boolean;
            /** @description When it proved itself by its secret last, within the hour */
            secret_last_used_at?: string;
            /** @description Until when its previous secret works; left out where none does */
            previous_secret_expires_at?: string;
            /** @description When it proved itself by its previous secret last, within the hour */
            previous_secret_last_used_at?: string;
            /** @description RFC 3339, UTC */
            created_at: string;
            /** @description RFC 3339, UTC */
            updated_at: string;
        };
        /** @description `name#de` is `name` in the language of the tag behind # (BCP 47) */
        Resource: {
            /** @description UUID */
            id: string;
            /** @description The URI, which is the `aud` of its access tokens */
            resource: string;
            name: string;
            scopes: ({
                name: string;
                description: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Seconds */
            access_token_validity?: number;
            required_acr?: string;
            /** @description Seconds */
            max_age?: number;
            dynamic_clients: boolean;
            groups?: string[];
            groups_claim?: string;
            /** @description The project that administers it */
            managed_by?: string;
            /** @description RFC 3339, UTC */
            createdAt: string;
            /** @description RFC 3339, UTC */
            updatedAt: string;
        } & {
            [key: string]: unknown;
        };
        Issuer: {
            /** @description UUID */
            id: string;
            /** @description The `iss` of its tokens, or its trust domain */
            issuer: string;
            name: string;
            /** @enum {unknown} */
            kind: "oidc" | "spiffe";
            jwks?: {
                keys: ({
                    kty: string;
                } & {
                    [key: string]: unknown;
                })[];
            };
            jwks_uri?: string;
            signature_algorithms: ("RS256" | "ES256" | "PS256" | "EdDSA" | "Ed25519" | "ES384" | "RS512")[];
            /** @description The project that administers it */
            managed_by?: string;
            /** @description RFC 3339, UTC */
            createdAt: string;
            /** @description RFC 3339, UTC */
            updatedAt: string;
        };
        Upstream: {
            /** @description UUID */
            id: string;
            /** @description Its name in addresses */
            alias: string;
            /** @description Its name on pages */
            display_name: string;
            enabled: boolean;
            /** @enum {unknown} */
            kind: "oidc" | "github";
            issuer: string;
            client_id: string;
            /** @enum {unknown} */
            token_endpoint_auth_method: "client_secret_basic" | "client_secret_post" | "private_key_jwt";
            scope: string[];
            tenants: string[];
            hosted_domains: string[];
            /** @enum {unknown} */
            link: "ask" | "never" | "verified_email";
            email_domains: string[];
            create_users: boolean;
            domains: string[];
            /** @enum {unknown} */
            local_methods: "allowed" | "refused";
            members: {
                [key: string]: string;
            };
            /** @enum {unknown} */
            sync: "first" | "always";
            groups?: {
                claim: string;
                map: {
                    [key: string]: string;
                };
            };
            /** @enum {unknown} */
            level: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
            levels: {
                [key: string]: string;
            };
            logout: boolean;
            /** @description The project that administers it */
            managed_by?: string;
            /** @description To register there */
            redirect_uri: string;
            /** @description RFC 3339, UTC */
            createdAt: string;
            /** @description RFC 3339, UTC */
            updatedAt: string;
        };
        InitialAccessToken: {
            /** @description UUID */
            id: string;
            /** @description Clients that may be registered by it, in all */
            uses: number;
            uses_left: number;
            grant_types: string[];
            /** @description Absent for all that is open to dynamic clients */
            scope?: string;
            /** @description Absent for all that are open to dynamic clients */
            resources?: string[];
            /** @description The roles that can be used through its clients at most */
            ceiling: string[];
            /** @description RFC 3339, UTC */
            createdAt: string;
            /** @description RFC 3339, UTC */
            expiresAt: string;
        };
        /** @description RFC 7591 3.2.1, RFC 7592 3 */
        ClientInformation: {
            client_id: string;
            /** @description Shown this once */
            client_secret?: string;
            /** @description Seconds since the epoch */
            client_id_issued_at: number;
            /** @description 0: never */
            client_secret_expires_at?: number;
            /** @description For the registration_client_uri alone */
            registration_access_token: string;
            /** @description Where the client reads, replaces and deletes its registration */
            registration_client_uri: string;
            redirect_uris: string[];
            grant_types: string[];
            response_types: string[];
            token_endpoint_auth_method: string;
            scope: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Something that somebody did, or was refused */
        AuditEvent: {
            /** @description UUID, time-ordered (RFC 9562) */
            id: string;
            /** @description RFC 3339, UTC */
            time: string;
            /** @enum {unknown} */
            type: "client.registered" | "client.changed" | "client.enabled" | "client.disabled" | "client.secret_replaced" | "client.secret_ended" | "client.deleted" | "initial_token.created" | "initial_token.deleted" | "resource.created" | "resource.changed" | "resource.deleted" | "issuer.created" | "issuer.changed" | "issuer.deleted" | "upstream.created" | "upstream.changed" | "upstream.deleted" | "users.imported" | "users.exported" | "clients.exported" | "user.created" | "user.changed" | "user.invited" | "invitation.withdrawn" | "invitation.accepted" | "user.disabled" | "user.enabled" | "user.password_changed" | "user.password_change_refused" | "user.profile_changed" | "user.password_reset" | "user.deleted" | "user.erased" | "user.registered" | "group.created" | "group.changed" | "group.deleted" | "group.members_changed" | "identity.linked" | "identity.unlinked" | "groups_claim.ignored" | "passkey.added" | "passkey.renamed" | "passkey.removed" | "passkey.counter_behind" | "code_app.added" | "code_app.removed" | "recovery_codes.made" | "recovery_codes.removed" | "recovery_code.used" | "password.removed" | "methods.reset" | "password_reset.requested" | "email.verified" | "email_change.requested" | "email_change.confirmed" | "email_change.refused" | "mail.failed" | "mail.limited" | "sign_in.succeeded" | "sign_in.refused" | "second_step.succeeded" | "second_step.refused" | "sign_out" | "session.ended" | "data.downloaded" | "browser.remembered" | "browser.forgotten" | "consent.given" | "consent.denied" | "consent.withdrawn" | "device.approved" | "device.denied" | "token.revoked" | "grant.ended" | "replay.refused" | "refresh_token.repeated" | "client_authentication.refused" | "administrator.refused" | "keys.rotated" | "deployment.recovered";
            /** @enum {unknown} */
            outcome: "succeeded" | "refused";
            /**
             * @description Why it was refused
             * @enum {unknown}
             */
            reason?: "wrong_credentials" | "unknown_client" | "client_disabled" | "user_disabled" | "second_step_due" | "not_in_group" | "unknown_account" | "upstream_failed" | "role_missing" | "denied_by_user" | "code_replayed" | "refresh_token_replayed" | "left_out";
            actor: {
                /** @enum {unknown} */
                kind: "user" | "client" | "service" | "anonymous" | "keys" | "resource" | "initial_token" | "issuer" | "group" | "upstream";
                /** @description UUID of a user, of a resource, of an initial access token, or of the registration of a client */
                id?: string;
                /** @description Username, client_id, or name of a service */
                name?: string;
            };
            subject?: {
                /** @enum {unknown} */
                kind: "user" | "client" | "service" | "anonymous" | "keys" | "resource" | "initial_token" | "issuer" | "group" | "upstream";
                /** @description UUID of a user, of a resource, of an initial access token, or of the registration of a client */
                id?: string;
                /** @description Username, client_id, or name of a service */
                name?: string;
            };
            /** @description client_id of the client through which it was done: of an administrator’s token, too */
            client?: string;
            /** @description The request id, by which the log is searched */
            request?: string;
            /** @description The caller’s IPv4 address, or its /64 of IPv6 */
            address?: string;
            /** @description By type. Of a changed client or resource `fields` and `changes`: a list of `{ field, from, to }`, keys by thumbprint (RFC 7638), texts up to 200 characters */
            details: {
                [key: string]: unknown;
            };
        };
        /** @description A user who is signed in at a browser */
        Session: {
            /** @description UUID: the `sid` of ID tokens */
            sid: string;
            user: {
                id: string;
                username: string;
            };
            /** @description Browser and system, as they name themselves */
            browser?: string;
            /** @description An IPv4 address, or the first 64 bits of an IPv6 address */
            network?: string;
            createdAt: string;
            /** @description Within ten minutes */
            lastUsedAt?: string;
            expiresAt: string;
            /**
             * @description The highest level that it reached
             * @enum {unknown}
             */
            acr: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
            amr: string[];
            /** @description The client_ids that got something from it */
            clients: string[];
        };
        /** @description What a client may have for a user, by a refresh token */
        Grant: {
            /** @description UUID: `grant` in the details of audit events */
            id: string;
            client_id: string;
            user: {
                id: string;
                username: string;
            };
            scope: string[];
            /** @description URIs; none: org-api alone */
            resources: string[];
            /**
             * @description How it began
             * @enum {unknown}
             */
            kind: "code" | "password" | "device";
            /** @description Whether it outlives the session in which it began */
            offline: boolean;
            /** @description UUID: the session that it ends with */
            sid?: string;
            createdAt: string;
            /** @description When the client got an access token last */
            lastUsedAt: string;
            /** @description Unless it is used before, where it is offline */
            expiresAt: string;
        };
        /** @description What a user allows a third-party client */
        Consent: {
            client_id: string;
            user: {
                id: string;
                username: string;
            };
            /** @description Of org-api */
            scope: string[];
            /** @description Other APIs, with the scopes of each */
            resources: {
                /** @description URI */
                resource: string;
                scope: string[];
            }[];
            /** @description Allowed by name, beyond those of the scope */
            claims: string[];
            /** @description RFC 3339, UTC */
            grantedAt: string;
        };
        /** @description A key that signs tokens */
        SigningKey: {
            /** @description RFC 7638 */
            kid: string;
            /** @enum {unknown} */
            alg: "ES256" | "RS256";
            /**
             * @description Whether it waits for its time, signs, or is shown for what it signed
             * @enum {unknown}
             */
            state: "waiting" | "signing" | "retiring";
            /** @description When the key set begins to show it */
            publishAt: string;
            /** @description When it begins to sign */
            signFrom: string;
            /** @description When the key set ceases to show it */
            expiresAt: string;
            /** @description RFC 7517 */
            jwk: {
                kty: string;
                kid: string;
                alg: string;
                use: string;
                crv?: string;
                x?: string;
                y?: string;
                n?: string;
                e?: string;
            };
        };
        /** @description What the service was started with; no secrets */
        Configuration: {
            service: string;
            version: string;
            /** @description RFC 3339, UTC: when the process that answers started */
            startedAt: string;
            database: {
                /** @enum {unknown} */
                kind: "sqlite" | "mysql" | "mariadb";
                version: string;
                /** @description The newest migration that was done */
                schema?: string;
                /** @description RFC 3339, UTC: the clock of the database, while it answered */
                time: string;
            };
            variables: {
                name: string;
                /**
                 * @description `default`: it is not set
                 * @enum {unknown}
                 */
                from: "default" | "environment" | "file";
                /** @description Absent of secrets and of paths, and where there is neither value nor default */
                value?: string;
                secret: boolean;
            }[];
        };
        Refusal: {
            /** @description UUID, time-ordered (RFC 9562) */
            id: string;
            /** @description The request id; callers may choose it */
            request: string;
            /** @description RFC 3339, UTC */
            time: string;
            /** @description The operationId; of a form without one its method and path */
            operation: string;
            status: number;
            /** @description Error code of OAuth, or a name of the status, such as not_found */
            code: string;
            /** @description Why, as in the log */
            reason: string;
            /** @description What to do */
            advice: string;
            /** @description client_id of the registered client that sent it or is named */
            client?: string;
            /** @description Username of the user who sent it or is named, in lower case */
            user?: string;
            /** @description Of the caller: an IPv4 address, or of IPv6 its /64 */
            network: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listClients: {
        parameters: {
            query: {
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description One to four words. Each begins a word of the client_id, the name, the Robot or the host of a URI, without regard to case */
                search?: string;
                /** @description A grant type that they may use */
                grant_type?: "authorization_code" | "client_credentials" | "password" | "refresh_token" | "implicit" | "service_account" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange";
                /** @description The URI of a resource that they name */
                resource?: string;
                /** @description A scope that they may ask for */
                scope?: string;
                /** @description The username of their Robot */
                robot?: string;
                /** @description Whether they have no secret */
                public?: "true" | "false";
                /** @description Whether they registered themselves */
                dynamic?: "true" | "false";
                /** @description Whether they are not disabled */
                enabled?: "true" | "false";
                /** @description Whether users are asked before they get anything */
                third_party?: "true" | "false";
                /** @description An issuer whose tokens they prove themselves by */
                issuer?: string;
                /** @description A group that they let in (`allowed_groups`), without regard to case */
                allowed_group?: string;
                /** @description The project that administers them */
                managed_by?: string;
                /** @description Those that got no token since this instant (ISO 8601; a date is its midnight in UTC), or never */
                unused_since?: string;
                /** @description Those of which `GET /findings` says this */
                finding?: "client_all_roles" | "http_redirect" | "secret_old" | "secret_overlap_in_use";
                /** @description The order; `-updated_at`: the last change first; `last_used_at`: those that never got a token first, then those that got none for the longest time. Not together with `search` */
                sort?: "client_id" | "-updated_at" | "last_used_at";
                /** @description `true`: the answer says how many there are, counted to 10,000 */
                total?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        clients: components["schemas"]["Client"][];
                        next_cursor?: string;
                        /** @description 10,000 at most */
                        total?: number;
                        /** @description false: there may be more */
                        total_is_exact?: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    registerClient: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description `return=representation` */
                prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "my-app",
                 *       "client_secret": "my-app-secret",
                 *       "scope": [
                 *         "openid",
                 *         "profile",
                 *         "email"
                 *       ],
                 *       "authorized_grant_types": [
                 *         "password",
                 *         "authorization_code",
                 *         "refresh_token"
                 *       ],
                 *       "redirect_uri": "https://app.example.com/callback",
                 *       "access_token_validity": 1800
                 *     }
                 */
                "application/json": {
                    /** @description Identifier of the client, unique in the realm, compared byte for byte */
                    client_id: string;
                    /** @description Confidential credential; required unless the client is public */
                    client_secret?: string;
                    /** @description In place of `client_secret`, from a SystemAdministrator: its hash as another server made it */
                    client_secret_hash?: string;
                    /** @description Access permissions the client may request: openid, profile, email, phone, address, offline_access, roles, groups, EXTRA_SCOPES, and scopes of its resources */
                    scope: string[];
                    /** @description OAuth 2.0 flows the client may use */
                    authorized_grant_types: ("authorization_code" | "client_credentials" | "password" | "refresh_token" | "implicit" | "service_account" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange")[];
                    /** @description Callback URL, matched exactly; required with authorization_code or implicit unless redirect_uris has one */
                    redirect_uri?: string;
                    /**
                     * @description Lifetime of access tokens, in seconds
                     * @default 1800
                     */
                    access_token_validity?: number;
                    /** @description Username of an existing, enabled Robot user; required with service_account */
                    srvc_ac_user_name?: string;
                    /** @description Name that users see */
                    client_name?: string;
                    /** @description Its website, which pages link to */
                    client_uri?: string;
                    /** @description Its privacy policy, which pages link to */
                    policy_uri?: string;
                    /** @description Its terms of service, which pages link to */
                    tos_uri?: string;
                    /** @description Kept and given back; pages show only a logo that an administrator put here */
                    logo_uri?: string;
                    /**
                     * @description fapi2: a client of the FAPI 2.0 Security Profile. Implies private_key_jwt, pushed requests, PKCE, bound tokens and ES256. fapi2_message_signing: one of FAPI 2.0 Message Signing, whose requests are signed, too. oauth21: one of OAuth 2.1. Implies PKCE
                     * @enum {unknown}
                     */
                    profile?: "fapi2" | "fapi2_message_signing" | "oauth21";
                    /** @description URIs of the resources it may ask for (RFC 8707); org-api alone where left out */
                    resources?: string[];
                    /** @description The one of its resources that a request without resource means; org-api where left out */
                    default_resource?: string;
                    /** @description client_ids of the clients whose access tokens it may exchange (RFC 8693); its own where left out; not with require_consent */
                    exchange_from?: string[];
                    /** @description URIs of the resources whose access tokens it may exchange (RFC 8693): the aud of such a token. Required with the grant type token-exchange, and accepted only with it */
                    exchange_audiences?: string[];
                    /** @description Callback URLs, matched exactly: the ones in addition to redirect_uri, or all of them */
                    redirect_uris?: string[];
                    /**
                     * @description any: a redirect URI of http://127.0.0.1 or http://[::1] matches with every port (RFC 8252 7.3). Requires PKCE
                     * @enum {unknown}
                     */
                    loopback_ports?: "any";
                    /** @description Where the browser may be sent after signing out */
                    post_logout_redirect_uris?: string[];
                    /**
                     * @description The one way in which the client authenticates; any that fits its credentials where left out
                     * @enum {unknown}
                     */
                    token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | "federated_jwt";
                    /** @description Public keys of the client: with private_key_jwt they take the place of a secret, else they serve signed requests alone */
                    jwks?: {
                        keys: {
                            kty: string;
                        }[];
                    };
                    /** @description The https URL of such a set, in place of jwks: it is read when its keys are needed */
                    jwks_uri?: string;
                    /**
                     * @description How ID tokens for the client are signed; RS256 where left out
                     * @enum {unknown}
                     */
                    id_token_signed_response_alg?: "RS256" | "ES256";
                    /** @description Whether ID tokens of the code flow also carry the claims that the granted scopes open */
                    id_token_scope_claims?: boolean;
                    /** @description Where the client is told that a session ended; in production no loopback host */
                    backchannel_logout_uri?: string;
                    /** @description Whether logout tokens must name the session; they always do */
                    backchannel_logout_session_required?: boolean;
                    /** @description Whether users are asked before the client gets anything: a third-party client; not with the grant type password */
                    require_consent?: boolean;
                    /** @description Whether PKCE is required (RFC 7636), which it is of every public client */
                    require_pkce?: boolean;
                    /** @description Whether authorization requests must be pushed (RFC 9126) */
                    require_pushed_authorization_requests?: boolean;
                    /** @description How users should sign in where a request does not say (acr_values), the preferred level first: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr */
                    default_acr_values?: string[];
                    /** @description Seconds since the sign-in, at most, where a request does not say (max_age) */
                    default_max_age?: number;
                    /** @description The lowest level by which users sign in: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr; above the first not with the grant type password */
                    required_acr?: string;
                    /** @description Seconds since the sign-in, at most, for administrative requests that change something; no limit where left out */
                    administration_max_age?: number;
                    /** @description Whether every token must be bound to a key (RFC 9449) */
                    dpop_bound_access_tokens?: boolean;
                    /**
                     * @description How answers of the authorization endpoint are signed where response_mode asks for that (JARM); RS256 where left out
                     * @enum {unknown}
                     */
                    authorization_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description How userinfo is signed, which is plain JSON where left out
                     * @enum {unknown}
                     */
                    userinfo_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description How introspection is signed where a JWT is asked for (RFC 9701); RS256 where left out
                     * @enum {unknown}
                     */
                    introspection_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description The only signature of its request objects (RFC 9101); any of these where left out
                     * @enum {unknown}
                     */
                    request_object_signing_alg?: "ES256" | "RS256" | "PS256" | "Ed25519" | "EdDSA";
                    /** @description https URLs at which it puts request objects: request_uri may be one of these */
                    request_uris?: string[];
                    /** @description Whether authorization requests must be signed (RFC 9101) */
                    require_signed_request_object?: boolean;
                    /** @description Where a sign-in to it begins from elsewhere (OpenID Connect Core 4), as from /account/applications, which links to it */
                    initiate_login_uri?: string;
                    /** @description The tokens of issuers that prove the client with federated_jwt, each by the exact sub or claims, and by its aud: AUTH_URL where left out */
                    federated_credentials?: {
                        issuer: string;
                        subject?: string;
                        claims?: {
                            [key: string]: string;
                        };
                        audience?: string;
                    }[];
                    /** @description Groups of which users have to be in one to sign in; any user may where left out */
                    allowed_groups?: string[];
                    /** @description The project that administers it */
                    managed_by?: string;
                };
            };
        };
        responses: {
            /** @description Client created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Client created, where its representation is preferred */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        client: components["schemas"]["Client"];
                        /** @description Made here; shown this once */
                        client_secret?: string;
                    };
                };
            };
            /** @description The body is not good */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The credentials are missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Neither SystemAdministrator nor IdpAdministrator; the Robot has a role that the caller lacks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The client_id belongs to the configuration */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too many wrong credentials from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too many credentials are being checked at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    deleteClient: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    changeClient: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "access_token_validity": 3600
                 *     }
                 */
                "application/json": {
                    /** @description Access permissions the client may request: openid, profile, email, phone, address, offline_access, roles, groups, EXTRA_SCOPES, and scopes of its resources */
                    scope?: string[];
                    /** @description OAuth 2.0 flows the client may use */
                    authorized_grant_types?: ("authorization_code" | "client_credentials" | "password" | "refresh_token" | "implicit" | "service_account" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange")[];
                    redirect_uri?: string | null;
                    /**
                     * @description Lifetime of access tokens, in seconds
                     * @default 1800
                     */
                    access_token_validity?: number;
                    srvc_ac_user_name?: string | null;
                    /**
                     * @description Raises the ceiling of the client to all roles; for a SystemAdministrator
                     * @enum {boolean}
                     */
                    trusted?: true;
                    /** @description false ends the codes and access tokens of the client, which is then refused everywhere */
                    enabled?: boolean;
                    client_name?: string | null;
                    client_uri?: string | null;
                    policy_uri?: string | null;
                    tos_uri?: string | null;
                    logo_uri?: string | null;
                    profile?: ("fapi2" | "fapi2_message_signing" | "oauth21") | null;
                    resources?: string[] | null;
                    default_resource?: string | null;
                    exchange_from?: string[] | null;
                    exchange_audiences?: string[] | null;
                    redirect_uris?: string[] | null;
                    loopback_ports?: "any" | null;
                    post_logout_redirect_uris?: string[] | null;
                    token_endpoint_auth_method?: ("client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | "federated_jwt") | null;
                    jwks?: {
                        keys: {
                            kty: string;
                        }[];
                    } | null;
                    jwks_uri?: string | null;
                    id_token_signed_response_alg?: ("RS256" | "ES256") | null;
                    id_token_scope_claims?: boolean | null;
                    backchannel_logout_uri?: string | null;
                    backchannel_logout_session_required?: boolean | null;
                    require_consent?: boolean | null;
                    require_pkce?: boolean | null;
                    require_pushed_authorization_requests?: boolean | null;
                    default_acr_values?: string[] | null;
                    default_max_age?: number | null;
                    required_acr?: string | null;
                    administration_max_age?: number | null;
                    dpop_bound_access_tokens?: boolean | null;
                    authorization_signed_response_alg?: ("RS256" | "ES256") | null;
                    userinfo_signed_response_alg?: ("RS256" | "ES256") | null;
                    introspection_signed_response_alg?: ("RS256" | "ES256") | null;
                    request_object_signing_alg?: ("ES256" | "RS256" | "PS256" | "Ed25519" | "EdDSA") | null;
                    request_uris?: string[] | null;
                    require_signed_request_object?: boolean | null;
                    initiate_login_uri?: string | null;
                    federated_credentials?: {
                        issuer: string;
                        subject?: string;
                        claims?: {
                            [key: string]: string;
                        };
                        audience?: string;
                    }[] | null;
                    allowed_groups?: string[] | null;
                    managed_by?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    makeClientSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Made by the server where left out */
                    client_secret?: string;
                    /** @description In place of `client_secret`, from a SystemAdministrator: its hash as another server made it */
                    client_secret_hash?: string;
                    /**
                     * @description For how long the old secret keeps working
                     * @default 0
                     */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        client_id: string;
                        /** @description Shown this once; absent where its hash was sent */
                        client_secret?: string;
                        /** @description Seconds */
                        previous_secret_expires_in?: number;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    endPreviousClientSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    checkClientSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "secret": "my-app-secret"
                 *     }
                 */
                "application/json": {
                    secret: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        matches: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getClientLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logo */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    putClientLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    deleteClientLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listResources: {
        parameters: {
            query: {
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description The URI of the one resource to list */
                resource?: string;
                /** @description One to four words. Each begins a word of the name, the URI or a scope, without regard to case */
                search?: string;
                /** @description A group that its tokens carry, without regard to case */
                group?: string;
                /** @description Whether clients that register themselves may ask for it */
                dynamic_clients?: "true" | "false";
                /** @description `true`: the answer says how many there are, counted to 10,000 */
                total?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        resources: components["schemas"]["Resource"][];
                        next_cursor?: string;
                        /** @description 10,000 at most */
                        total?: number;
                        /** @description false: there may be more */
                        total_is_exact?: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    registerResource: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description `name#de` is `name` in the language of the tag behind # (BCP 47) */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resource": "https://orders.example.com/",
                 *       "name": "Orders",
                 *       "name#de": "Bestellungen",
                 *       "scopes": [
                 *         {
                 *           "name": "orders:read",
                 *           "description": "see your orders",
                 *           "description#de": "Ihre Bestellungen sehen"
                 *         }
                 *       ],
                 *       "access_token_validity": 600
                 *     }
                 */
                "application/json": {
                    /** @description The URI of the API, which becomes the `aud` of its access tokens; absolute, without fragment (RFC 8707) */
                    resource: string;
                    /** @description Name that users see */
                    name: string;
                    /** @description The scopes of the API. Their names are unique over all resources */
                    scopes?: ({
                        /** @description RFC 6749 3.3 */
                        name: string;
                        /** @description What it allows, in words for users */
                        description?: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    /** @description Seconds for which its access tokens are valid at most; the client’s setting alone where left out */
                    access_token_validity?: number;
                    /** @description The lowest level by which users sign in for it: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr */
                    required_acr?: string;
                    /** @description Seconds since the user signed in, at most; its access tokens end then */
                    max_age?: number;
                    /**
                     * @description Whether clients that register themselves may ask for it
                     * @default false
                     */
                    dynamic_clients?: boolean;
                    /** @description Groups that access tokens of users carry; `*` at the end of a name stands for all that begin so */
                    groups?: string[];
                    /**
                     * @description The claim that has them: `groups` where left out
                     * @enum {unknown}
                     */
                    groups_claim?: "groups" | "roles";
                    /** @description The project that administers it */
                    managed_by?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description `name#de` is `name` in the language of the tag behind # (BCP 47) */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `name#de` is `name` in the language of the tag behind # (BCP 47) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    deleteResource: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    changeResource: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        /** @description `name#de` is `name` in the language of the tag behind # (BCP 47) */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Never changes */
                    resource?: unknown;
                    /** @description Name that users see */
                    name?: string;
                    /** @description The scopes of the API. Their names are unique over all resources */
                    scopes?: ({
                        /** @description RFC 6749 3.3 */
                        name: string;
                        /** @description What it allows, in words for users */
                        description?: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    access_token_validity?: number | null;
                    required_acr?: string | null;
                    max_age?: number | null;
                    /**
                     * @description Whether clients that register themselves may ask for it
                     * @default false
                     */
                    dynamic_clients?: boolean;
                    groups?: string[] | null;
                    groups_claim?: ("groups" | "roles") | null;
                    managed_by?: string | null;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description `name#de` is `name` in the language of the tag behind # (BCP 47) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listIssuers: {
        parameters: {
            query: {
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description `true`: the answer says how many there are, counted to 10,000 */
                total?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuers: components["schemas"]["Issuer"][];
                        next_cursor?: string;
                        /** @description 10,000 at most */
                        total?: number;
                        /** @description false: there may be more */
                        total_is_exact?: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    registerIssuer: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "issuer": "https://token.actions.githubusercontent.com",
                 *       "name": "GitHub Actions"
                 *     }
                 */
                "application/json": {
                    /** @description The `iss` of its tokens, an https URL; of kind spiffe its trust domain, spiffe://… */
                    issuer: string;
                    /** @description Name that administrators see */
                    name: string;
                    /**
                     * @description spiffe: a trust domain, whose keys are a SPIFFE bundle; oidc where left out
                     * @enum {unknown}
                     */
                    kind?: "oidc" | "spiffe";
                    /** @description Its public keys. With neither jwks nor jwks_uri: where its metadata say */
                    jwks?: {
                        keys: {
                            kty: string;
                        }[];
                    };
                    /** @description The https URL of its public keys, in place of jwks */
                    jwks_uri?: string;
                    /** @description Signatures that its tokens may have; RS256, ES256, PS256, EdDSA, Ed25519 where left out */
                    signature_algorithms?: ("RS256" | "ES256" | "PS256" | "EdDSA" | "Ed25519" | "ES384" | "RS512")[];
                    /** @description The project that administers it */
                    managed_by?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Issuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Issuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    deleteIssuer: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    changeIssuer: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Never changes */
                    issuer?: unknown;
                    /** @description Name that administrators see */
                    name?: string;
                    /**
                     * @description spiffe: a trust domain, whose keys are a SPIFFE bundle; oidc where left out
                     * @enum {unknown}
                     */
                    kind?: "oidc" | "spiffe";
                    jwks?: {
                        keys: {
                            kty: string;
                        }[];
                    } | null;
                    jwks_uri?: string | null;
                    /** @description Signatures that its tokens may have; RS256, ES256, PS256, EdDSA, Ed25519 where left out */
                    signature_algorithms?: ("RS256" | "ES256" | "PS256" | "EdDSA" | "Ed25519" | "ES384" | "RS512")[];
                    managed_by?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Issuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listUpstreams: {
        parameters: {
            query: {
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description `true`: the answer says how many there are, counted to 10,000 */
                total?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        upstreams: components["schemas"]["Upstream"][];
                        next_cursor?: string;
                        /** @description 10,000 at most */
                        total?: number;
                        /** @description false: there may be more */
                        total_is_exact?: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    registerUpstream: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "alias": "company",
                 *       "display_name": "Company",
                 *       "kind": "oidc",
                 *       "issuer": "https://login.example.com",
                 *       "client_id": "gatehouse",
                 *       "client_secret": "a-secret-of-the-upstream"
                 *     }
                 */
                "application/json": {
                    /** @description Its name in addresses */
                    alias: string;
                    /** @description Its name on pages */
                    display_name: string;
                    /**
                     * @description oidc: OpenID Connect, by discovery; github: OAuth 2.0 and the API of GitHub
                     * @enum {unknown}
                     */
                    kind: "oidc" | "github";
                    /** @description As its metadata name it, to the letter; https://login.microsoftonline.com/{tenantid}/v2.0 for many tenants. GitHub: https://github.com where left out, or a GitHub Enterprise Server */
                    issuer?: string;
                    /** @description The client_id of this server there */
                    client_id: string;
                    /** @description Whether people sign in by it; true where left out */
                    enabled?: boolean;
                    /** @description The client secret of this server there. It is never given back */
                    client_secret?: string;
                    /**
                     * @description How this server proves itself there; private_key_jwt by the keys of /oauth/jwks; client_secret_basic where left out, client_secret_post at GitHub
                     * @enum {unknown}
                     */
                    token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                    /** @description Asked for there; openid, profile, email where left out, at GitHub read:user, user:email */
                    scope?: string[];
                    /** @description Microsoft Entra: the `tid` of the tenants whose accounts are taken; all where empty */
                    tenants?: string[];
                    /** @description Google: the `hd` of the domains whose accounts are taken; all where empty */
                    hosted_domains?: string[];
                    /**
                     * @description ask: people who are unknown here sign in once as before, and are asked; verified_email: the verified address decides, where email_domains has its domain; never: they are refused
                     * @enum {unknown}
                     */
                    link?: "ask" | "never" | "verified_email";
                    /** @description Domains for whose addresses the word of the upstream counts that they are verified; none where empty */
                    email_domains?: string[];
                    /** @description Whether users are made at their first sign-in; false where left out */
                    create_users?: boolean;
                    /** @description Users whose names are in these domains go there at once. A domain is in one upstream at most */
                    domains?: string[];
                    /**
                     * @description refused: users with an account there and a name in `domains` have no password, no reset and no passkey that signs in alone here; allowed where left out
                     * @enum {unknown}
                     */
                    local_methods?: "allowed" | "refused";
                    /**
                     * @description The claims that fill members of a record of a user, by the members
                     * @example {
                     *       "firstName": "given_name",
                     *       "lastName": "family_name"
                     *     }
                     */
                    members?: {
                        firstName?: string;
                        middleName?: string;
                        lastName?: string;
                        nickname?: string;
                        profile?: string;
                        picture?: string;
                        website?: string;
                        gender?: string;
                        birthdate?: string;
                        locale?: string;
                        timezone?: string;
                        phoneNumber?: string;
                    };
                    /**
                     * @description When the claims go into the record: at the first sign-in, or at each; first where left out
                     * @enum {unknown}
                     */
                    sync?: "first" | "always";
                    /**
                     * @description The level of a sign-in there; urn:gatehouse:acr:password where left out
                     * @enum {unknown}
                     */
                    level?: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
                    /** @description Values of the `acr` of the upstream that count for another level */
                    levels?: {
                        [key: string]: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
                    };
                    /** @description Whether sign-out goes on at its end_session_endpoint; false where left out */
                    logout?: boolean;
                    /**
                     * @description The claim that lists groups there, and the group here of each value; users join and leave these groups as it says
                     * @example {
                     *       "claim": "groups",
                     *       "map": {
                     *         "/staff/it": "staff/it"
                     *       }
                     *     }
                     */
                    groups?: {
                        claim: string;
                        map: {
                            [key: string]: string;
                        };
                    };
                    /** @description The project that administers it */
                    managed_by?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name in addresses */
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    deleteUpstream: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @description Its name in addresses */
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    changeUpstream: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /** @description Its name in addresses */
                alias: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Never changes */
                    alias?: unknown;
                    /** @description Never changes */
                    kind?: unknown;
                    /** @description Never changes */
                    issuer?: unknown;
                    /** @description Its name on pages */
                    display_name?: string;
                    /** @description The client_id of this server there */
                    client_id?: string;
                    /** @description true: client_id may change, and tenants come or go, although linked users are called otherwise then */
                    rekey?: boolean;
                    /** @description Whether people sign in by it; true where left out */
                    enabled?: boolean;
                    /** @description The client secret of this server there. It is never given back */
                    client_secret?: string;
                    /**
                     * @description How this server proves itself there; private_key_jwt by the keys of /oauth/jwks; client_secret_basic where left out, client_secret_post at GitHub
                     * @enum {unknown}
                     */
                    token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                    /** @description Asked for there; openid, profile, email where left out, at GitHub read:user, user:email */
                    scope?: string[];
                    /** @description Microsoft Entra: the `tid` of the tenants whose accounts are taken; all where empty */
                    tenants?: string[];
                    /** @description Google: the `hd` of the domains whose accounts are taken; all where empty */
                    hosted_domains?: string[];
                    /**
                     * @description ask: people who are unknown here sign in once as before, and are asked; verified_email: the verified address decides, where email_domains has its domain; never: they are refused
                     * @enum {unknown}
                     */
                    link?: "ask" | "never" | "verified_email";
                    /** @description Domains for whose addresses the word of the upstream counts that they are verified; none where empty */
                    email_domains?: string[];
                    /** @description Whether users are made at their first sign-in; false where left out */
                    create_users?: boolean;
                    /** @description Users whose names are in these domains go there at once. A domain is in one upstream at most */
                    domains?: string[];
                    /**
                     * @description refused: users with an account there and a name in `domains` have no password, no reset and no passkey that signs in alone here; allowed where left out
                     * @enum {unknown}
                     */
                    local_methods?: "allowed" | "refused";
                    /**
                     * @description The claims that fill members of a record of a user, by the members
                     * @example {
                     *       "firstName": "given_name",
                     *       "lastName": "family_name"
                     *     }
                     */
                    members?: {
                        firstName?: string;
                        middleName?: string;
                        lastName?: string;
                        nickname?: string;
                        profile?: string;
                        picture?: string;
                        website?: string;
                        gender?: string;
                        birthdate?: string;
                        locale?: string;
                        timezone?: string;
                        phoneNumber?: string;
                    };
                    /**
                     * @description When the claims go into the record: at the first sign-in, or at each; first where left out
                     * @enum {unknown}
                     */
                    sync?: "first" | "always";
                    /**
                     * @description The level of a sign-in there; urn:gatehouse:acr:password where left out
                     * @enum {unknown}
                     */
                    level?: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
                    /** @description Values of the `acr` of the upstream that count for another level */
                    levels?: {
                        [key: string]: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
                    };
                    /** @description Whether sign-out goes on at its end_session_endpoint; false where left out */
                    logout?: boolean;
                    groups?: {
                        claim: string;
                        map: {
                            [key: string]: string;
                        };
                    } | null;
                    managed_by?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    checkUpstreamSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name in addresses */
                alias: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "secret": "my-app-secret"
                 *     }
                 */
                "application/json": {
                    secret: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        matches: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query: {
                /** @description Username, or id */
                user?: string;
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                        next_cursor?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    endSessionsOfUser: {
        parameters: {
            query: {
                /** @description Username, or id */
                user: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID */
                sid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user who is signed in at a browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID */
                sid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query: {
                limit: number;
                /** @description From the page before */
                cursor?: string;
                /**
                 * @description A type, or several by comma
                 * @example client.changed,client.deleted
                 */
                type?: string;
                /** @description Who did it: a username or client_id without regard to case, or an id */
                actor?: string;
                /** @description To whom it was done: a username or client_id without regard to case, or an id */
                subject?: string;
                /** @description The `client` of an event: the client_id of the client through which it was done */
                client?: string;
                /** @description The request id */
                request?: string;
                /** @description Whether it was done */
                outcome?: "succeeded" | "refused";
                /** @description Why it was refused */
                reason?: "wrong_credentials" | "unknown_client" | "client_disabled" | "user_disabled" | "second_step_due" | "not_in_group" | "unknown_account" | "upstream_failed" | "role_missing" | "denied_by_user" | "code_replayed" | "refresh_token_replayed" | "left_out";
                /** @description The IP address of the caller; of IPv6 its /64 counts */
                address?: string;
                /** @description The first instant that counts (ISO 8601; a date is its midnight in UTC) */
                from?: string;
                /** @description The first instant that does not count any more */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: components["schemas"]["AuditEvent"][];
                        next_cursor?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listGrants: {
        parameters: {
            query: {
                /** @description Username, or id */
                user?: string;
                /** @description client_id */
                client?: string;
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        grants: components["schemas"]["Grant"][];
                        next_cursor?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    endGrants: {
        parameters: {
            query?: {
                /** @description Username, or id */
                user?: string;
                /** @description client_id */
                client?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    endGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listConsents: {
        parameters: {
            query: {
                /** @description Username, or id */
                user?: string;
                /** @description client_id */
                client?: string;
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        consents: components["schemas"]["Consent"][];
                        next_cursor?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    withdrawConsent: {
        parameters: {
            query: {
                /** @description Username, or id */
                user: string;
                /** @description client_id */
                client: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the service was started with; no secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: components["schemas"]["SigningKey"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    rotateKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: components["schemas"]["SigningKey"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listRefusals: {
        parameters: {
            query: {
                limit: number;
                /** @description From the page before */
                cursor?: string;
                /** @description The request id */
                request?: string;
                /** @description A client_id */
                client?: string;
                /** @description A username, without regard to case */
                user?: string;
                /** @description Of HTTP */
                status?: string;
                /** @description As a refusal has it */
                code?: string;
                /** @description The first instant that counts (ISO 8601; a date is its midnight in UTC) */
                from?: string;
                /** @description The first instant that does not count any more */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        refusals: components["schemas"]["Refusal"][];
                        next_cursor?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getRefusals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The request id
                 * @example 0b3a2c9e-4d1f-4e8a-9c55-7f1d2a6b8c90
                 */
                request: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        refusals: components["schemas"]["Refusal"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listFindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        findings: {
                            /** @enum {unknown} */
                            kind: "audit_left_out" | "bootstrap_password_unchanged" | "client_all_roles" | "client_unused" | "demo_data" | "deprecated_grant" | "http_redirect" | "key_ending" | "key_old" | "one_administrator" | "secret_old" | "secret_overlap_in_use" | "unverified_addresses";
                            /**
                             * @description `act`: mend it now, `look`: decide, `know`: good to know
                             * @enum {unknown}
                             */
                            weight: "act" | "look" | "know";
                            /** @description A client_id, a username or a kid, where it is one */
                            subject?: string;
                            /** @description Counted to 1,000 */
                            count: number;
                            /** @description false: there may be more */
                            count_is_exact: boolean;
                            /** @description One sentence */
                            text: string;
                            /** @description Where one looks or acts, below `CONSOLE_URL` */
                            path: string;
                        }[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    previewTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example my-app */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "authorization_code",
                 *       "username": "user@example.com",
                 *       "scope": "openid profile"
                 *     }
                 */
                "application/json": {
                    /** @enum {unknown} */
                    grant_type: "authorization_code" | "client_credentials" | "password" | "refresh_token" | "service_account" | "urn:ietf:params:oauth:grant-type:device_code";
                    /** @description Of the user, or the id */
                    username?: string;
                    /** @description Space-delimited; all that the client may request where left out */
                    scope?: string;
                    /** @description RFC 8707: the URI of the API that the access token is for */
                    resource?: string;
                    /**
                     * @description Level of the sign-in; the lowest that lets the user through where left out
                     * @enum {unknown}
                     */
                    acr?: "urn:gatehouse:acr:password" | "urn:gatehouse:acr:mfa" | "phr";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issued: boolean;
                        access_token?: {
                            header: {
                                [key: string]: unknown;
                            };
                            claims: {
                                [key: string]: unknown;
                            };
                        };
                        id_token?: {
                            header: {
                                [key: string]: unknown;
                            };
                            claims: {
                                [key: string]: unknown;
                            };
                        };
                        userinfo?: {
                            [key: string]: unknown;
                        };
                        /** @description Scopes, claims and APIs: what a page would ask the user for, and what the user gave before */
                        consent?: {
                            asked: string[];
                            given: string[];
                        };
                        /** @description RFC 6749 5.2 */
                        error?: string;
                        /** @description For the client */
                        error_description?: string;
                        /** @description For administrators: why, and where to change it */
                        reason?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getStatistics: {
        parameters: {
            query: {
                /** @description The acts that are counted */
                measure: "sign_ins" | "tokens" | "refusals";
                /** @description Days are those of UTC */
                step: "hour" | "day";
                /** @description The step that it is in is the first (ISO 8601); 24 hours or 30 days before `to` where left out */
                from?: string;
                /** @description The step that it is in is the last; now where left out */
                to?: string;
                /** @description Of this client_id alone */
                client?: string;
                /** @description Of sign_ins: by this alias */
                upstream?: string;
                /** @description Of tokens: for this URI */
                resource?: string;
                /** @description Of tokens: their client proved itself by a token of this issuer */
                issuer?: string;
                /** @description A series for each: outcome and grant_type of tokens, outcome of sign_ins, reason of refusals, client */
                by?: "outcome" | "grant_type" | "client" | "reason";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        step: "hour" | "day";
                        /** @description The beginning of the first step. RFC 3339, UTC */
                        from: string;
                        /** @description The end of the last */
                        to: string;
                        series: {
                            /** @description `total` where there is no `by` */
                            key: string;
                            /** @description One for each step */
                            values: number[];
                        }[];
                        /** @description With `by=client`: of the clients that have no series, and of no client */
                        others?: number[];
                        /** @description Acts after it may be missing */
                        complete_until: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listInitialAccessTokens: {
        parameters: {
            query: {
                limit: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description `true`: only those with a use left */
                usable?: "true";
                /** @description `true`: the answer says how many there are, counted to 10,000 */
                total?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Whether clients register themselves: not at all, by a token alone, or without one too
                         * @enum {unknown}
                         */
                        registration: "off" | "token" | "open";
                        registration_tokens: components["schemas"]["InitialAccessToken"][];
                        next_cursor?: string;
                        /** @description 10,000 at most */
                        total?: number;
                        /** @description false: there may be more */
                        total_is_exact?: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    makeInitialAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uses": 10,
                 *       "expires_in": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Clients that may be registered by it
                     * @default 1
                     */
                    uses?: number;
                    /**
                     * @description Seconds
                     * @default 86400
                     */
                    expires_in?: number;
                    /**
                     * @description Grant types that its clients may have
                     * @default [
                     *       "authorization_code",
                     *       "refresh_token"
                     *     ]
                     */
                    grant_types?: ("authorization_code" | "client_credentials" | "refresh_token" | "urn:ietf:params:oauth:grant-type:device_code")[];
                    /** @description Scopes that its clients may have, as one string or as a list; all that are open where left out */
                    scope?: string | string[];
                    /** @description URIs of resources that its clients may ask for; all that are open where left out */
                    resources?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description UUID */
                        id: string;
                        /** @description Clients that may be registered by it, in all */
                        uses: number;
                        uses_left: number;
                        grant_types: string[];
                        /** @description Absent for all that is open to dynamic clients */
                        scope?: string;
                        /** @description Absent for all that are open to dynamic clients */
                        resources?: string[];
                        /** @description The roles that can be used through its clients at most */
                        ceiling: string[];
                        /** @description RFC 3339, UTC */
                        createdAt: string;
                        /** @description RFC 3339, UTC */
                        expiresAt: string;
                        /** @description The initial access token, shown this once */
                        token: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    deleteInitialAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getUserData: {
        parameters: {
            query: {
                /** @description Username, or id */
                user: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of both services; no secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            [key: string]: unknown;
                        }[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getWellKnownJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            [key: string]: unknown;
                        }[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getStatusList: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=<seconds>` beside `If-None-Match`: the answer comes when the list changes */
                prefer?: string;
                /** @description Basic, of a confidential client: half of the places to wait are for those */
                authorization?: string;
                /** @description `ETag` of the list in hand */
                "if-none-match"?: string;
            };
            path: {
                listId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/statuslist+jwt": string;
                };
            };
            /** @description Still the one of `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getOpenidConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuer: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    getAuthorizationServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuer: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @example password */
                    grant_type: string;
                    /** @example user@example.com */
                    username?: string;
                    /** @example user-password */
                    password?: string;
                    /** @example  */
                    scope?: string;
                    /** @example  */
                    code?: string;
                    /** @example  */
                    redirect_uri?: string;
                    /** @example  */
                    code_verifier?: string;
                    /** @example  */
                    refresh_token?: string;
                    /** @example  */
                    device_code?: string;
                    /**
                     * @description RFC 8693: the access token to exchange
                     * @example
                     */
                    subject_token?: string;
                    /** @example urn:ietf:params:oauth:token-type:access_token */
                    subject_token_type?: string;
                    /** @example urn:ietf:params:oauth:token-type:access_token */
                    requested_token_type?: string;
                    /**
                     * @description RFC 8707: the URI of the API that the access token is for
                     * @example
                     */
                    resource?: string;
                    /** @example my-app */
                    client_id?: string;
                    /** @example my-app-secret */
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        token_type: string;
                        /** @description Seconds */
                        expires_in: number;
                        /** @description Of the access token */
                        scope?: string;
                        refresh_token?: string;
                        id_token?: string;
                        /** @description Of a token exchange (RFC 8693) */
                        issued_token_type?: string;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @example  */
                    token: string;
                    /** @example  */
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        active: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @example  */
                    token: string;
                    /** @example  */
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description The token is not in force any more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    getUserinfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The claims */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sub": "01992d6e-7a4c-7d1e-9a5b-3f1c2d4e5f60",
                     *       "name": "Ursula User",
                     *       "given_name": "Ursula",
                     *       "family_name": "User",
                     *       "preferred_username": "user@example.com",
                     *       "birthdate": "1985-02-28",
                     *       "locale": "en",
                     *       "zoneinfo": "UTC",
                     *       "updated_at": 1767268800,
                     *       "email": "user@example.com",
                     *       "email_verified": true,
                     *       "phone_number": "+41446681800",
                     *       "phone_number_verified": true,
                     *       "address": {
                     *         "street_address": "1 Example Way",
                     *         "postal_code": "8001",
                     *         "locality": "Zurich",
                     *         "country": "Switzerland"
                     *       }
                     *     }
                     */
                    "application/json": {
                        sub: string;
                    } & {
                        [key: string]: unknown;
                    };
                    "application/jwt": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    getUserinfoByPost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The claims */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sub": "01992d6e-7a4c-7d1e-9a5b-3f1c2d4e5f60",
                     *       "name": "Ursula User",
                     *       "given_name": "Ursula",
                     *       "family_name": "User",
                     *       "preferred_username": "user@example.com",
                     *       "birthdate": "1985-02-28",
                     *       "locale": "en",
                     *       "zoneinfo": "UTC",
                     *       "updated_at": 1767268800,
                     *       "email": "user@example.com",
                     *       "email_verified": true,
                     *       "phone_number": "+41446681800",
                     *       "phone_number_verified": true,
                     *       "address": {
                     *         "street_address": "1 Example Way",
                     *         "postal_code": "8001",
                     *         "locality": "Zurich",
                     *         "country": "Switzerland"
                     *       }
                     *     }
                     */
                    "application/json": {
                        sub: string;
                    } & {
                        [key: string]: unknown;
                    };
                    "application/jwt": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    pushAuthorizationRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /**
                     * @description Required without request
                     * @example
                     */
                    response_type?: string;
                    /** @example  */
                    redirect_uri?: string;
                    /** @example  */
                    scope?: string;
                    /** @example  */
                    state?: string;
                    /** @example  */
                    code_challenge?: string;
                    /** @example  */
                    code_challenge_method?: string;
                    /**
                     * @description RFC 9101: a request object, which replaces everything else
                     * @example
                     */
                    request?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request_uri: string;
                        /** @description Seconds */
                        expires_in: number;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Content Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    requestDeviceCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /**
                     * @description Space-delimited; all of the client’s where left out
                     * @example
                     */
                    scope?: string;
                    /**
                     * @description RFC 8707: the URI of an API that access tokens are for; may come several times
                     * @example
                     */
                    resource?: string;
                    /**
                     * @description Levels by which the user should sign in, by preference
                     * @example
                     */
                    acr_values?: string;
                    /**
                     * @description Seconds since the user signed in, at most
                     * @example
                     */
                    max_age?: string;
                    /** @example  */
                    client_id?: string;
                    /** @example  */
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        device_code: string;
                        /** @description Shown to the user, XXXX-XXXX */
                        user_code: string;
                        /** @description The page that the user opens */
                        verification_uri: string;
                        /** @description The same with the code in it */
                        verification_uri_complete: string;
                        /** @description Seconds */
                        expires_in: number;
                        /** @description Seconds to wait between two polls */
                        interval: number;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    registerDynamicClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Unknown members are ignored */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "redirect_uris": [
                 *         "http://127.0.0.1:8976/callback"
                 *       ],
                 *       "client_name": "My editor",
                 *       "grant_types": [
                 *         "authorization_code",
                 *         "refresh_token"
                 *       ],
                 *       "token_endpoint_auth_method": "none"
                 *     }
                 */
                "application/json": {
                    /** @description Callback URLs, matched exactly; required with authorization_code */
                    redirect_uris?: string[];
                    /**
                     * @description The one way in which the client authenticates; any that fits its credentials where left out
                     * @enum {unknown}
                     */
                    token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
                    /** @description authorization_code where left out */
                    grant_types?: string[];
                    /** @description code with authorization_code, else none */
                    response_types?: string[];
                    /** @description Names of scopes, separated by spaces; all that are open to it where left out */
                    scope?: string;
                    /**
                     * @description web or native
                     * @enum {unknown}
                     */
                    application_type?: "web" | "native";
                    /** @description Name that users see */
                    client_name?: string;
                    /** @description Its website, which pages link to */
                    client_uri?: string;
                    /** @description Its privacy policy, which pages link to */
                    policy_uri?: string;
                    /** @description Its terms of service, which pages link to */
                    tos_uri?: string;
                    /** @description Kept and given back; pages show only a logo that an administrator put here */
                    logo_uri?: string;
                    /**
                     * @description fapi2: a client of the FAPI 2.0 Security Profile. Implies private_key_jwt, pushed requests, PKCE, bound tokens and ES256. fapi2_message_signing: one of FAPI 2.0 Message Signing, whose requests are signed, too. oauth21: one of OAuth 2.1. Implies PKCE
                     * @enum {unknown}
                     */
                    profile?: "fapi2" | "fapi2_message_signing" | "oauth21";
                    /** @description URIs of the resources it may ask for (RFC 8707); org-api alone where left out */
                    resources?: string[];
                    /** @description The one of its resources that a request without resource means; org-api where left out */
                    default_resource?: string;
                    /**
                     * @description any: a redirect URI of http://127.0.0.1 or http://[::1] matches with every port (RFC 8252 7.3). Requires PKCE
                     * @enum {unknown}
                     */
                    loopback_ports?: "any";
                    /** @description Where the browser may be sent after signing out */
                    post_logout_redirect_uris?: string[];
                    /** @description Public keys of the client: with private_key_jwt they take the place of a secret, else they serve signed requests alone */
                    jwks?: {
                        keys: {
                            kty: string;
                        }[];
                    };
                    /** @description The https URL of such a set, in place of jwks: it is read when its keys are needed */
                    jwks_uri?: string;
                    /**
                     * @description How ID tokens for the client are signed; RS256 where left out
                     * @enum {unknown}
                     */
                    id_token_signed_response_alg?: "RS256" | "ES256";
                    /** @description Whether ID tokens of the code flow also carry the claims that the granted scopes open */
                    id_token_scope_claims?: boolean;
                    /** @description Whether PKCE is required (RFC 7636), which it is of every public client */
                    require_pkce?: boolean;
                    /** @description Whether authorization requests must be pushed (RFC 9126) */
                    require_pushed_authorization_requests?: boolean;
                    /** @description How users should sign in where a request does not say (acr_values), the preferred level first: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr */
                    default_acr_values?: string[];
                    /** @description Seconds since the sign-in, at most, where a request does not say (max_age) */
                    default_max_age?: number;
                    /** @description The lowest level by which users sign in: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr; above the first not with the grant type password */
                    required_acr?: string;
                    /** @description Whether every token must be bound to a key (RFC 9449) */
                    dpop_bound_access_tokens?: boolean;
                    /**
                     * @description How answers of the authorization endpoint are signed where response_mode asks for that (JARM); RS256 where left out
                     * @enum {unknown}
                     */
                    authorization_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description How userinfo is signed, which is plain JSON where left out
                     * @enum {unknown}
                     */
                    userinfo_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description How introspection is signed where a JWT is asked for (RFC 9701); RS256 where left out
                     * @enum {unknown}
                     */
                    introspection_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description The only signature of its request objects (RFC 9101); any of these where left out
                     * @enum {unknown}
                     */
                    request_object_signing_alg?: "ES256" | "RS256" | "PS256" | "Ed25519" | "EdDSA";
                    /** @description https URLs at which it puts request objects: request_uri may be one of these */
                    request_uris?: string[];
                    /** @description Where a sign-in to it begins from elsewhere (OpenID Connect Core 4), as from /account/applications, which links to it */
                    initiate_login_uri?: string;
                };
            };
        };
        responses: {
            /** @description RFC 7591 3.2.1, RFC 7592 3 */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientInformation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    getOwnRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RFC 7591 3.2.1, RFC 7592 3 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientInformation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    replaceOwnRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of this registration */
                    client_id: string;
                    /** @description The current one */
                    client_secret?: string;
                    /** @description Callback URLs, matched exactly; required with authorization_code */
                    redirect_uris?: string[];
                    /**
                     * @description The one way in which the client authenticates; any that fits its credentials where left out
                     * @enum {unknown}
                     */
                    token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
                    /** @description authorization_code where left out */
                    grant_types?: string[];
                    /** @description code with authorization_code, else none */
                    response_types?: string[];
                    /** @description Names of scopes, separated by spaces; all that are open to it where left out */
                    scope?: string;
                    /**
                     * @description web or native
                     * @enum {unknown}
                     */
                    application_type?: "web" | "native";
                    /** @description Name that users see */
                    client_name?: string;
                    /** @description Its website, which pages link to */
                    client_uri?: string;
                    /** @description Its privacy policy, which pages link to */
                    policy_uri?: string;
                    /** @description Its terms of service, which pages link to */
                    tos_uri?: string;
                    /** @description Kept and given back; pages show only a logo that an administrator put here */
                    logo_uri?: string;
                    /**
                     * @description fapi2: a client of the FAPI 2.0 Security Profile. Implies private_key_jwt, pushed requests, PKCE, bound tokens and ES256. fapi2_message_signing: one of FAPI 2.0 Message Signing, whose requests are signed, too. oauth21: one of OAuth 2.1. Implies PKCE
                     * @enum {unknown}
                     */
                    profile?: "fapi2" | "fapi2_message_signing" | "oauth21";
                    /** @description URIs of the resources it may ask for (RFC 8707); org-api alone where left out */
                    resources?: string[];
                    /** @description The one of its resources that a request without resource means; org-api where left out */
                    default_resource?: string;
                    /**
                     * @description any: a redirect URI of http://127.0.0.1 or http://[::1] matches with every port (RFC 8252 7.3). Requires PKCE
                     * @enum {unknown}
                     */
                    loopback_ports?: "any";
                    /** @description Where the browser may be sent after signing out */
                    post_logout_redirect_uris?: string[];
                    /** @description Public keys of the client: with private_key_jwt they take the place of a secret, else they serve signed requests alone */
                    jwks?: {
                        keys: {
                            kty: string;
                        }[];
                    };
                    /** @description The https URL of such a set, in place of jwks: it is read when its keys are needed */
                    jwks_uri?: string;
                    /**
                     * @description How ID tokens for the client are signed; RS256 where left out
                     * @enum {unknown}
                     */
                    id_token_signed_response_alg?: "RS256" | "ES256";
                    /** @description Whether ID tokens of the code flow also carry the claims that the granted scopes open */
                    id_token_scope_claims?: boolean;
                    /** @description Whether PKCE is required (RFC 7636), which it is of every public client */
                    require_pkce?: boolean;
                    /** @description Whether authorization requests must be pushed (RFC 9126) */
                    require_pushed_authorization_requests?: boolean;
                    /** @description How users should sign in where a request does not say (acr_values), the preferred level first: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr */
                    default_acr_values?: string[];
                    /** @description Seconds since the sign-in, at most, where a request does not say (max_age) */
                    default_max_age?: number;
                    /** @description The lowest level by which users sign in: urn:gatehouse:acr:password, urn:gatehouse:acr:mfa, phr; above the first not with the grant type password */
                    required_acr?: string;
                    /** @description Whether every token must be bound to a key (RFC 9449) */
                    dpop_bound_access_tokens?: boolean;
                    /**
                     * @description How answers of the authorization endpoint are signed where response_mode asks for that (JARM); RS256 where left out
                     * @enum {unknown}
                     */
                    authorization_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description How userinfo is signed, which is plain JSON where left out
                     * @enum {unknown}
                     */
                    userinfo_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description How introspection is signed where a JWT is asked for (RFC 9701); RS256 where left out
                     * @enum {unknown}
                     */
                    introspection_signed_response_alg?: "RS256" | "ES256";
                    /**
                     * @description The only signature of its request objects (RFC 9101); any of these where left out
                     * @enum {unknown}
                     */
                    request_object_signing_alg?: "ES256" | "RS256" | "PS256" | "Ed25519" | "EdDSA";
                    /** @description https URLs at which it puts request objects: request_uri may be one of these */
                    request_uris?: string[];
                    /** @description Where a sign-in to it begins from elsewhere (OpenID Connect Core 4), as from /account/applications, which links to it */
                    initiate_login_uri?: string;
                };
            };
        };
        responses: {
            /** @description RFC 7591 3.2.1, RFC 7592 3 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientInformation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    deleteOwnRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    authorize: {
        parameters: {
            query: {
                /** @example my-app */
                client_id: string;
                /**
                 * @description code; token, id_token, id_token token for clients with implicit; code with these for clients with both
                 * @example code
                 */
                response_type: string;
                /**
                 * @description As registered, to the letter; required with scope openid
                 * @example https://app.example.com/callback
                 */
                redirect_uri?: string;
                /**
                 * @description Space-delimited; all of the client’s where left out
                 * @example openid profile
                 */
                scope?: string;
                /**
                 * @description Comes back as it is
                 * @example af0ifjsldkj
                 */
                state?: string;
                /** @description Goes into the ID token; required with an id_token in response_type */
                nonce?: string;
                /**
                 * @description RFC 7636; required of public clients
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge?: string;
                /**
                 * @description S256
                 * @example S256
                 */
                code_challenge_method?: string;
                /** @description query, fragment or form_post; jwt, query.jwt, fragment.jwt or form_post.jwt for a signed answer (JARM) */
                response_mode?: string;
                /** @description none, login, consent, select_account */
                prompt?: string;
                /** @description Seconds since the user signed in */
                max_age?: string;
                /** @description Username to put into the form */
                login_hint?: string;
                /** @description Languages of the pages by preference, as tags separated by spaces */
                ui_locales?: string;
                /** @description ID token of the user who is expected */
                id_token_hint?: string;
                /** @description RFC 9101: a signed request object, which replaces everything else but client_id */
                request?: string;
                /** @description Of a pushed request (RFC 9126), or an address of the client (request_uris): replaces everything else but client_id */
                request_uri?: string;
                /** @description Alias of the upstream where the user signs in; the sign-in page where it names none */
                upstream?: string;
                /** @description RFC 8707: URI of an API that access tokens are for; may come several times */
                resource?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sign-in page, the consent page, or a form that the browser posts to the redirect_uri */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Back to the redirect_uri, with a code, tokens or an error */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: client_id or redirect_uri is not good, or nobody vouches for the host of the error’s address */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    authorizeByForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @example my-app */
                    client_id: string;
                    /**
                     * @description code; token, id_token, id_token token for clients with implicit; code with these for clients with both
                     * @example code
                     */
                    response_type: string;
                    /**
                     * @description As registered, to the letter; required with scope openid
                     * @example https://app.example.com/callback
                     */
                    redirect_uri?: string;
                    /**
                     * @description Space-delimited; all of the client’s where left out
                     * @example openid profile
                     */
                    scope?: string;
                    /**
                     * @description Comes back as it is
                     * @example af0ifjsldkj
                     */
                    state?: string;
                    /** @description Goes into the ID token; required with an id_token in response_type */
                    nonce?: string;
                    /**
                     * @description RFC 7636; required of public clients
                     * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                     */
                    code_challenge?: string;
                    /**
                     * @description S256
                     * @example S256
                     */
                    code_challenge_method?: string;
                    /** @description query, fragment or form_post; jwt, query.jwt, fragment.jwt or form_post.jwt for a signed answer (JARM) */
                    response_mode?: string;
                    /** @description none, login, consent, select_account */
                    prompt?: string;
                    /** @description Seconds since the user signed in */
                    max_age?: string;
                    /** @description Username to put into the form */
                    login_hint?: string;
                    /** @description Languages of the pages by preference, as tags separated by spaces */
                    ui_locales?: string;
                    /** @description ID token of the user who is expected */
                    id_token_hint?: string;
                    /** @description RFC 9101: a signed request object, which replaces everything else but client_id */
                    request?: string;
                    /** @description Of a pushed request (RFC 9126), or an address of the client (request_uris): replaces everything else but client_id */
                    request_uri?: string;
                    /** @description Alias of the upstream where the user signs in; the sign-in page where it names none */
                    upstream?: string;
                    /** @description RFC 8707: URI of an API that access tokens are for; may come several times */
                    resource?: string;
                };
            };
        };
        responses: {
            /** @description To the same by GET, which answers */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    connectDevice: {
        parameters: {
            query?: {
                /** @description The code that the device shows */
                user_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sign-in page, the page for the code, or the page that asks for a decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The code is not right */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many wrong codes */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    connectDeviceByForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The code that the device shows */
                    user_code?: string;
                    /** @description allow, or anything else */
                    decision?: string;
                    form_token?: string;
                };
            };
        };
        responses: {
            /** @description The sign-in page, the page for the code, or the page that asks for a decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The code is not right */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many wrong codes */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    showConsents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the user allowed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nobody is signed in; the page offers it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    withdrawConsentByForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    registration?: string;
                    form_token?: string;
                };
            };
        };
        responses: {
            /** @description To the same by GET */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nobody is signed in; the page offers it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out, or the question whether to sign out, or whether to go on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the post_logout_redirect_uri; or, from a POST, to the same by GET */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: the request is not good */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    signOutByForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out, or the question whether to sign out, or whether to go on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the post_logout_redirect_uri; or, from a POST, to the same by GET */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: the request is not good */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Addresses */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuer: string;
                        realm: string;
                        discovery: string;
                        documentation: string;
                        openapi: string;
                        /** @description The page of a user’s consents */
                        consents: string;
                    };
                    "text/html": string;
                };
            };
            /** @description A page: Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description A page: Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page: Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        checks?: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        checks?: {
                            [key: string]: string;
                        };
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        checks?: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Request Header Fields Too Large */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        checks?: {
                            [key: string]: string;
                        };
                    };
                };
            };
        };
    };
}
