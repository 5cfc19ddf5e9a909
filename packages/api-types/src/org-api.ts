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
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Protected resource metadata (RFC 9728)
         * @description The authorization server whose tokens this API takes, and how to send them. 401 answers name its URL.
         */
        get: operations["getResourceMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/allDetails/userId/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get user details
         * @description Your own, or anybody’s with SystemAdministrator, IdpAdministrator or DirectoryReader. Usernames are compared without regard to case. A third-party client sees of each record what its scope opens.
         */
        get: operations["getUserDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users, a page at a time
         * @description For SystemAdministrator, IdpAdministrator and DirectoryReader. The filters combine by "and". A page of a search or filter examines at most 10,000 entries: it may be short or empty and still have `nextCursor`.
         */
        get: operations["listUsers"];
        put?: never;
        /** Create a user */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a user
         * @description For a user without a way to sign in. The link replaces open ones.
         */
        post: operations["inviteUser"];
        /** Withdraw the invitation of a user */
        delete: operations["withdrawUserInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/email-verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a link by which a user confirms the e-mail address
         * @description 409 where the address is verified, or this server sends no mail.
         */
        post: operations["sendEmailVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description For SystemAdministrator, IdpAdministrator and DirectoryReader. The `ETag` is the version of the user.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description With `erase=true` names and addresses of the user in audit events of both services become `erased` within an hour; ids stay.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description What is left out stays as it is. Disabling a user stops its tokens with the next request. The last SystemAdministrator stays one.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a password
         * @description A SystemAdministrator sets anybody’s; users set their own, with the old one, and where they have a second step, by a token of a sign-in with it within ten minutes: else 401 `insufficient_user_authentication` (RFC 9470). Tokens issued before are void.
         */
        put: operations["setUserPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/methods/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the methods of a user
         * @description All passkeys, the code app and the recovery codes go, with `password` the password too. A user without any method is invited. Sessions and tokens of the user are void. Nobody resets the own methods.
         */
        post: operations["resetUserMethods"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the methods of a user
         * @description How the user signs in. Users read their own with a token of a first-party client.
         */
        get: operations["getUserMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/methods/passkeys/{id}": {
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
         * Remove a passkey of a user
         * @description Sessions and tokens of the user are void.
         */
        delete: operations["removeUserPasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/methods/code-app": {
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
         * Remove the code app of a user
         * @description Sessions and tokens of the user are void.
         */
        delete: operations["removeUserCodeApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/methods/recovery-codes": {
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
         * Remove the recovery codes of a user
         * @description Sessions and tokens of the user are void.
         */
        delete: operations["removeUserRecoveryCodes"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/methods/password": {
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
         * Remove the password of a user
         * @description Sessions and tokens of the user are void.
         */
        delete: operations["removeUserPassword"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the identities of a user
         * @description The accounts at upstreams by which the user signs in.
         */
        get: operations["getUserIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/identities/{id}": {
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
         * Unlink an identity of a user
         * @description The account signs nobody in any more. Sessions that began by it end.
         */
        delete: operations["removeUserIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups, a page at a time
         * @description For SystemAdministrator, IdpAdministrator and DirectoryReader.
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a group
         * @description A name is compared without regard to case, and never changes. A group gives no administrative role.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/group/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a group
         * @description For SystemAdministrator, IdpAdministrator and DirectoryReader. The `ETag` is the version of the group.
         */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description Its members stay users. A client that lets this group alone sign in lets nobody in then.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        /**
         * Change a group
         * @description What is left out stays as it is; null takes managedBy away. The name never changes.
         */
        patch: operations["changeGroup"];
        trace?: never;
    };
    "/organization/api/organization/group/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a group
         * @description For SystemAdministrator, IdpAdministrator and DirectoryReader.
         */
        get: operations["listGroupMembers"];
        put?: never;
        /**
         * Add users to a group, and remove them
         * @description All of it or nothing. Users who are in already stay so, and those who are not stay out.
         */
        post: operations["changeGroupMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/user/userId/{username}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the groups of a user
         * @description For SystemAdministrator, IdpAdministrator and DirectoryReader.
         */
        get: operations["getUserGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users who were erased
         * @description For a SystemAdministrator. The ids of users who were deleted with `erase=true`, in their order, for as long as audit events are kept (`AUDIT_RETENTION_DAYS`).
         */
        get: operations["listErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organization/api/organization/audit-events": {
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
    "/organization/api/organization/configuration": {
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
    "/organization/api/organization/refusals": {
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
    "/organization/api/organization/refusals/{request}": {
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
    "/organization/api/organization/user-imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import users
         * @description For SystemAdministrator. Each line of the body (500 at most) is a user as another server kept it, with its id and the hash of its password; each line of the answer says what became of it. The same lines again change nothing.
         */
        post: operations["importUsers"];
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
        /** @description A user of the organization. A third-party client always gets id, userType and enabled; with scopes email, phone, address, roles and groups the members of that name, with scope profile the rest. */
        UserDetails: {
            /** @description UUID, time-ordered (RFC 9562) */
            id: string;
            username?: string;
            /** @enum {unknown} */
            userType: "Person" | "Robot";
            firstName?: string;
            lastName?: string;
            email?: string;
            /** @description Whether the e-mail address is verified; false unless a SystemAdministrator says so, and again when email changes */
            emailVerified?: boolean;
            enabled: boolean;
            roles?: ("SystemAdministrator" | "IdpAdministrator" | "DirectoryReader")[];
            organization?: string;
            locale?: string;
            timezone?: string;
            /** @description RFC 3339, UTC */
            createdAt?: string;
            /** @description RFC 3339, UTC */
            updatedAt?: string;
            /**
             * @description Middle names
             * @example Maria
             */
            middleName?: string;
            /**
             * @description Casual name
             * @example Uschi
             */
            nickname?: string;
            /**
             * @description Profile page
             * @example https://people.example.com/ursula
             */
            profile?: string;
            /**
             * @description Picture
             * @example https://people.example.com/ursula.png
             */
            picture?: string;
            /**
             * @description Web page or blog
             * @example https://ursula.example.com
             */
            website?: string;
            /**
             * @description Gender
             * @example female
             */
            gender?: string;
            /**
             * @description Date of birth: YYYY-MM-DD, 0000-MM-DD without the year, YYYY without the day
             * @example 1985-02-28
             * @example 0000-02-29
             * @example 1985
             */
            birthdate?: string;
            /**
             * @description Phone number (E.164)
             * @example +41446681800
             */
            phoneNumber?: string;
            /** @description Whether the phone number is verified; false unless a SystemAdministrator says so, and again when phoneNumber changes; absent without phoneNumber */
            phoneNumberVerified?: boolean;
            /** @description Postal address (OpenID Connect Core 5.1.1); replaced as a whole */
            address?: {
                /**
                 * @description The whole address, as on a label
                 * @example 1 Example Way
                 *     8001 Zurich
                 */
                formatted?: string;
                /**
                 * @description Street, house number, post-office box
                 * @example 1 Example Way
                 */
                streetAddress?: string;
                /**
                 * @description City
                 * @example Zurich
                 */
                locality?: string;
                /**
                 * @description State, province, prefecture
                 * @example ZH
                 */
                region?: string;
                /**
                 * @description Postal code
                 * @example 8001
                 */
                postalCode?: string;
                /**
                 * @description Name of the country
                 * @example Switzerland
                 */
                country?: string;
            };
            /** @description The id of the user in another system; unique */
            externalId?: string;
            /** @description Names of the groups that the user is in, sorted; absent without any */
            groups?: string[];
        };
        ListedUser: {
            /** @description UUID, time-ordered (RFC 9562) */
            id: string;
            username?: string;
            /** @enum {unknown} */
            userType: "Person" | "Robot";
            firstName?: string;
            lastName?: string;
            email?: string;
            /** @description Whether the e-mail address is verified; false unless a SystemAdministrator says so, and again when email changes */
            emailVerified?: boolean;
            enabled: boolean;
            roles?: ("SystemAdministrator" | "IdpAdministrator" | "DirectoryReader")[];
            organization?: string;
            locale?: string;
            timezone?: string;
            /** @description RFC 3339, UTC */
            createdAt?: string;
            /** @description RFC 3339, UTC */
            updatedAt?: string;
            /**
             * @description Middle names
             * @example Maria
             */
            middleName?: string;
            /**
             * @description Casual name
             * @example Uschi
             */
            nickname?: string;
            /**
             * @description Profile page
             * @example https://people.example.com/ursula
             */
            profile?: string;
            /**
             * @description Picture
             * @example https://people.example.com/ursula.png
             */
            picture?: string;
            /**
             * @description Web page or blog
             * @example https://ursula.example.com
             */
            website?: string;
            /**
             * @description Gender
             * @example female
             */
            gender?: string;
            /**
             * @description Date of birth: YYYY-MM-DD, 0000-MM-DD without the year, YYYY without the day
             * @example 1985-02-28
             * @example 0000-02-29
             * @example 1985
             */
            birthdate?: string;
            /**
             * @description Phone number (E.164)
             * @example +41446681800
             */
            phoneNumber?: string;
            /** @description Whether the phone number is verified; false unless a SystemAdministrator says so, and again when phoneNumber changes; absent without phoneNumber */
            phoneNumberVerified?: boolean;
            /** @description Postal address (OpenID Connect Core 5.1.1); replaced as a whole */
            address?: {
                /**
                 * @description The whole address, as on a label
                 * @example 1 Example Way
                 *     8001 Zurich
                 */
                formatted?: string;
                /**
                 * @description Street, house number, post-office box
                 * @example 1 Example Way
                 */
                streetAddress?: string;
                /**
                 * @description City
                 * @example Zurich
                 */
                locality?: string;
                /**
                 * @description State, province, prefecture
                 * @example ZH
                 */
                region?: string;
                /**
                 * @description Postal code
                 * @example 8001
                 */
                postalCode?: string;
                /**
                 * @description Name of the country
                 * @example Switzerland
                 */
                country?: string;
            };
            /** @description The id of the user in another system; unique */
            externalId?: string;
            /** @description Names of the groups that the user is in, sorted; absent without any */
            groups?: string[];
            /** @description Of a Person, with `withSecondStep=true`: whether there is a code app or a passkey */
            secondStep?: boolean;
        };
        UserPage: {
            users: components["schemas"]["ListedUser"][];
            nextCursor?: string;
            /** @description 10,000 at most */
            total?: number;
            /** @description false: there may be more */
            totalIsExact?: boolean;
        };
        Group: {
            /** @description UUID, time-ordered (RFC 9562) */
            id: string;
            name: string;
            description: string;
            /** @description The project that administers it */
            managedBy?: string;
            /** @description RFC 3339, UTC */
            createdAt: string;
            /** @description RFC 3339, UTC */
            updatedAt: string;
        };
        Identity: {
            /** @description UUID */
            id: string;
            issuer: string;
            /** @description The alias of the upstream then */
            upstream: string;
            subject: string;
            /** @description RFC 3339, UTC */
            linkedAt: string;
            /** @description RFC 3339, UTC; absent before the first use */
            lastUsedAt?: string;
        };
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
                        /** @description The `aud` of tokens for this API */
                        resource: string;
                        authorization_server: string;
                        documentation: string;
                        openapi: string;
                        /** @description RFC 9728 */
                        metadata: string;
                    };
                    "text/html": string;
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
    getResourceMetadata: {
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
                        /** @description The `aud` of tokens for this API */
                        resource: string;
                        authorization_servers: string[];
                        resource_name: string;
                        scopes_supported: string[];
                        bearer_methods_supported: string[];
                        dpop_signing_alg_values_supported: string[];
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
    getUserDetails: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example user@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user of the organization. A third-party client always gets id, userType and enabled; with scopes email, phone, address, roles and groups the members of that name, with scope profile the rest. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetails"];
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
    listUsers: {
        parameters: {
            query: {
                /** @description Words, each the start of a word of username, e-mail address or name, without regard to case; or a whole id */
                search?: string;
                userType?: "Person" | "Robot";
                /** @description A role that they have */
                role?: "SystemAdministrator" | "IdpAdministrator" | "DirectoryReader";
                /** @description Whether they are enabled */
                enabled?: "true" | "false";
                /** @description Those of whom `GET /findings` of auth-server says this: enabled, a Person, and no verified address */
                finding?: "unverified_addresses";
                /** @description The name of a group that they are in */
                group?: string;
                /** @description The `externalId` of one of them */
                externalId?: string;
                /** @description The first instant of creation that counts (ISO 8601; a date is its midnight in UTC) */
                createdSince?: string;
                /** @description `true`: each Person has `secondStep`, whether there is a code app or a passkey. For SystemAdministrators */
                withSecondStep?: "true" | "false";
                /** @description `true`: the answer says how many there are, counted to 10,000 */
                total?: "true" | "false";
                limit: number;
                /** @description `nextCursor` of the page before */
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
                    "application/json": components["schemas"]["UserPage"];
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
    createUser: {
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
                 *       "username": "ursula@example.com",
                 *       "userType": "Person",
                 *       "password": "a password of Ursula",
                 *       "firstName": "Ursula",
                 *       "lastName": "User",
                 *       "emailVerified": true,
                 *       "birthdate": "1985-02-28",
                 *       "phoneNumber": "+41446681800",
                 *       "address": {
                 *         "streetAddress": "1 Example Way",
                 *         "postalCode": "8001",
                 *         "locality": "Zurich",
                 *         "country": "Switzerland"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description In e-mail form; compared without regard to case, kept as written
                     * @example user@example.com
                     */
                    username: string;
                    /**
                     * @default Person
                     * @enum {unknown}
                     */
                    userType?: "Person" | "Robot";
                    /** @description The password; for a Person only; none of the 10,000 most common ones */
                    password?: string;
                    /** @description In place of a password, for a Person: a link by which the user chooses how to sign in */
                    invite?: boolean;
                    /**
                     * @description Of an invitation: `mail` (where mails are sent), or `link`: the answer has it
                     * @enum {unknown}
                     */
                    deliver?: "mail" | "link";
                    /** @description Given name */
                    firstName?: string;
                    /** @description Family name */
                    lastName?: string;
                    email?: string;
                    /** @description Roles in the organization */
                    roles?: ("SystemAdministrator" | "IdpAdministrator" | "DirectoryReader")[];
                    enabled?: boolean;
                    /** @description Organization */
                    organization?: string;
                    /**
                     * @description BCP 47 language tag
                     * @example en
                     */
                    locale?: string;
                    /**
                     * @description IANA time zone
                     * @example UTC
                     */
                    timezone?: string;
                    /** @description Whether the e-mail address is verified; false unless a SystemAdministrator says so, and again when email changes */
                    emailVerified?: boolean;
                    /** @description Names of the groups that the user is in */
                    groups?: string[];
                    /**
                     * @description Middle names
                     * @example Maria
                     */
                    middleName?: string;
                    /**
                     * @description Casual name
                     * @example Uschi
                     */
                    nickname?: string;
                    /**
                     * @description Profile page
                     * @example https://people.example.com/ursula
                     */
                    profile?: string;
                    /**
                     * @description Picture
                     * @example https://people.example.com/ursula.png
                     */
                    picture?: string;
                    /**
                     * @description Web page or blog
                     * @example https://ursula.example.com
                     */
                    website?: string;
                    /**
                     * @description Gender
                     * @example female
                     */
                    gender?: string;
                    /**
                     * @description Date of birth: YYYY-MM-DD, 0000-MM-DD without the year, YYYY without the day
                     * @example 1985-02-28
                     * @example 0000-02-29
                     * @example 1985
                     */
                    birthdate?: string;
                    /**
                     * @description Phone number (E.164)
                     * @example +41446681800
                     */
                    phoneNumber?: string;
                    /** @description Whether the phone number is verified; false unless a SystemAdministrator says so, and again when phoneNumber changes; absent without phoneNumber */
                    phoneNumberVerified?: boolean;
                    /** @description Postal address (OpenID Connect Core 5.1.1); replaced as a whole */
                    address?: {
                        /**
                         * @description The whole address, as on a label
                         * @example 1 Example Way
                         *     8001 Zurich
                         */
                        formatted?: string;
                        /**
                         * @description Street, house number, post-office box
                         * @example 1 Example Way
                         */
                        streetAddress?: string;
                        /**
                         * @description City
                         * @example Zurich
                         */
                        locality?: string;
                        /**
                         * @description State, province, prefecture
                         * @example ZH
                         */
                        region?: string;
                        /**
                         * @description Postal code
                         * @example 8001
                         */
                        postalCode?: string;
                        /**
                         * @description Name of the country
                         * @example Switzerland
                         */
                        country?: string;
                    };
                    /**
                     * @description The id of the user in another system; no two users have the same
                     * @example auth0|5f7c8ec7c33c6c004bbafe82
                     */
                    externalId?: string;
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
                    "application/json": {
                        /** @description UUID, time-ordered (RFC 9562) */
                        id: string;
                        username?: string;
                        /** @enum {unknown} */
                        userType: "Person" | "Robot";
                        firstName?: string;
                        lastName?: string;
                        email?: string;
                        /** @description Whether the e-mail address is verified; false unless a SystemAdministrator says so, and again when email changes */
                        emailVerified?: boolean;
                        enabled: boolean;
                        roles?: ("SystemAdministrator" | "IdpAdministrator" | "DirectoryReader")[];
                        organization?: string;
                        locale?: string;
                        timezone?: string;
                        /** @description RFC 3339, UTC */
                        createdAt?: string;
                        /** @description RFC 3339, UTC */
                        updatedAt?: string;
                        /**
                         * @description Middle names
                         * @example Maria
                         */
                        middleName?: string;
                        /**
                         * @description Casual name
                         * @example Uschi
                         */
                        nickname?: string;
                        /**
                         * @description Profile page
                         * @example https://people.example.com/ursula
                         */
                        profile?: string;
                        /**
                         * @description Picture
                         * @example https://people.example.com/ursula.png
                         */
                        picture?: string;
                        /**
                         * @description Web page or blog
                         * @example https://ursula.example.com
                         */
                        website?: string;
                        /**
                         * @description Gender
                         * @example female
                         */
                        gender?: string;
                        /**
                         * @description Date of birth: YYYY-MM-DD, 0000-MM-DD without the year, YYYY without the day
                         * @example 1985-02-28
                         * @example 0000-02-29
                         * @example 1985
                         */
                        birthdate?: string;
                        /**
                         * @description Phone number (E.164)
                         * @example +41446681800
                         */
                        phoneNumber?: string;
                        /** @description Whether the phone number is verified; false unless a SystemAdministrator says so, and again when phoneNumber changes; absent without phoneNumber */
                        phoneNumberVerified?: boolean;
                        /** @description Postal address (OpenID Connect Core 5.1.1); replaced as a whole */
                        address?: {
                            /**
                             * @description The whole address, as on a label
                             * @example 1 Example Way
                             *     8001 Zurich
                             */
                            formatted?: string;
                            /**
                             * @description Street, house number, post-office box
                             * @example 1 Example Way
                             */
                            streetAddress?: string;
                            /**
                             * @description City
                             * @example Zurich
                             */
                            locality?: string;
                            /**
                             * @description State, province, prefecture
                             * @example ZH
                             */
                            region?: string;
                            /**
                             * @description Postal code
                             * @example 8001
                             */
                            postalCode?: string;
                            /**
                             * @description Name of the country
                             * @example Switzerland
                             */
                            country?: string;
                        };
                        /** @description The id of the user in another system; unique */
                        externalId?: string;
                        /** @description Names of the groups that the user is in, sorted; absent without any */
                        groups?: string[];
                        invitation?: {
                            /** @description RFC 3339, UTC */
                            expiresAt: string;
                            /** @description Where no mail was sent: give it to the user by a safe way */
                            link?: string;
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
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deliver": "link"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Of an invitation: `mail` (where mails are sent), or `link`: the answer has it
                     * @enum {unknown}
                     */
                    deliver?: "mail" | "link";
                    /** @description Seconds; seven days where it is left out */
                    expiresIn?: number;
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
                        /** @description RFC 3339, UTC */
                        expiresAt: string;
                        /** @description Where no mail was sent: give it to the user by a safe way */
                        link?: string;
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
    withdrawUserInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
    sendEmailVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail is on its way */
            202: {
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
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user of the organization. A third-party client always gets id, userType and enabled; with scopes email, phone, address, roles and groups the members of that name, with scope profile the rest. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetails"];
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
    deleteUser: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
                /** @description `true`: no name of the user stays in the audit trail */
                erase?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as it was read: 412 where it was changed meanwhile */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
    changeUser: {
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
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phoneNumber": "+41446681801",
                 *       "phoneNumberVerified": true,
                 *       "nickname": null
                 *     }
                 */
                "application/json": {
                    /** @description Given name */
                    firstName?: string;
                    /** @description Family name */
                    lastName?: string;
                    email?: string;
                    /** @description Roles in the organization */
                    roles?: ("SystemAdministrator" | "IdpAdministrator" | "DirectoryReader")[];
                    enabled?: boolean;
                    /** @description Organization */
                    organization?: string;
                    /**
                     * @description BCP 47 language tag
                     * @example en
                     */
                    locale?: string;
                    /**
                     * @description IANA time zone
                     * @example UTC
                     */
                    timezone?: string;
                    /** @description Whether the e-mail address is verified; false unless a SystemAdministrator says so, and again when email changes */
                    emailVerified?: boolean;
                    /** @description Names of the groups that the user is in */
                    groups?: string[];
                    middleName?: string | null;
                    nickname?: string | null;
                    profile?: string | null;
                    picture?: string | null;
                    website?: string | null;
                    gender?: string | null;
                    birthdate?: string | null;
                    phoneNumber?: string | null;
                    /** @description Whether the phone number is verified; false unless a SystemAdministrator says so, and again when phoneNumber changes; absent without phoneNumber */
                    phoneNumberVerified?: boolean;
                    address?: {
                        /**
                         * @description The whole address, as on a label
                         * @example 1 Example Way
                         *     8001 Zurich
                         */
                        formatted?: string;
                        /**
                         * @description Street, house number, post-office box
                         * @example 1 Example Way
                         */
                        streetAddress?: string;
                        /**
                         * @description City
                         * @example Zurich
                         */
                        locality?: string;
                        /**
                         * @description State, province, prefecture
                         * @example ZH
                         */
                        region?: string;
                        /**
                         * @description Postal code
                         * @example 8001
                         */
                        postalCode?: string;
                        /**
                         * @description Name of the country
                         * @example Switzerland
                         */
                        country?: string;
                    } | null;
                    externalId?: string | null;
                };
            };
        };
        responses: {
            /** @description A user of the organization. A third-party client always gets id, userType and enabled; with scopes email, phone, address, roles and groups the members of that name, with scope profile the rest. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetails"];
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
    setUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "a new password of Ursula"
                 *     }
                 */
                "application/json": {
                    /** @description The password; for a Person only; none of the 10,000 most common ones */
                    password: string;
                    /** @description Required where a user sets its own password */
                    oldPassword?: string;
                };
            };
        };
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
    resetUserMethods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether the password goes, too
                     * @default false
                     */
                    password?: boolean;
                    /**
                     * @description Of an invitation: `mail` (where mails are sent), or `link`: the answer has it
                     * @enum {unknown}
                     */
                    deliver?: "mail" | "link";
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
                        invitation: {
                            /** @description RFC 3339, UTC */
                            expiresAt: string;
                            /** @description Where no mail was sent: give it to the user by a safe way */
                            link?: string;
                        } | null;
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
    getUserMethods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
                        password: {
                            /** @description ISO 8601, UTC */
                            changedAt: string;
                        } | null;
                        passkeys: {
                            id: string;
                            name: string;
                            /** @description ISO 8601, UTC */
                            createdAt: string;
                            lastUsedAt: string | null;
                            /** @description Whether it may be on several devices */
                            backupEligible: boolean;
                            backedUp: boolean;
                            /** @description Whether it signs in alone */
                            userVerified: boolean;
                            transports: string[];
                            /** @description The model of the authenticator */
                            aaguid: string;
                        }[];
                        codeApp: {
                            /** @description ISO 8601, UTC */
                            createdAt: string;
                            lastUsedAt: string | null;
                        } | null;
                        recoveryCodes: {
                            left: number;
                            /** @description ISO 8601, UTC */
                            createdAt: string;
                        } | null;
                        /** @description Whether a second step follows the password */
                        secondStep: boolean;
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
    removeUserPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
                /**
                 * @description Of a passkey, as `GET …/methods` lists it
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
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
            /** @description Conflict */
            409: {
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
    removeUserCodeApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
    removeUserRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
    removeUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
    getUserIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
                        identities: components["schemas"]["Identity"][];
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
    removeUserIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
                /**
                 * @description Of an identity, as `GET …/identities` lists it
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
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
            /** @description Conflict */
            409: {
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
    listGroups: {
        parameters: {
            query: {
                /** @description `true`: the answer says how many there are */
                total?: "true" | "false";
                limit: number;
                /** @description `nextCursor` of the page before */
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
                        groups: components["schemas"]["Group"][];
                        nextCursor?: string;
                        total?: number;
                        /** @description false: there may be more */
                        totalIsExact?: boolean;
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
    createGroup: {
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
                 *       "name": "staff/it",
                 *       "description": "People who keep the machines"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Compared without regard to case, kept as written; never changed, since clients and APIs hold it
                     * @example staff/it
                     */
                    name: string;
                    /** @description For administrators */
                    description?: string;
                    /** @description The project that administers it */
                    managedBy?: string;
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
                    "application/json": components["schemas"]["Group"];
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
    getGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
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
                    "application/json": components["schemas"]["Group"];
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
    deleteGroup: {
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
                /**
                 * @description UUID
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
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
            /** @description Precondition Failed */
            412: {
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
    changeGroup: {
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
                /**
                 * @description UUID
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "People who keep the machines and the networks"
                 *     }
                 */
                "application/json": {
                    /** @description Never changes */
                    name?: unknown;
                    /** @description For administrators */
                    description?: string;
                    managedBy?: string | null;
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
                    "application/json": components["schemas"]["Group"];
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
    listGroupMembers: {
        parameters: {
            query: {
                limit: number;
                /** @description `nextCursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
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
                    "application/json": {
                        members: {
                            id: string;
                            username?: string;
                        }[];
                        nextCursor?: string;
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
    changeGroupMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0192f6a4-0000-7000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "add": [
                 *         "ursula@example.com"
                 *       ],
                 *       "remove": []
                 *     }
                 */
                "application/json": {
                    /** @description Usernames */
                    add?: string[];
                    /** @description Usernames */
                    remove?: string[];
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
                        /** @description Users who were not in before */
                        added: number;
                        /** @description Users who were */
                        removed: number;
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
    getUserGroups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The username, percent-encoded
                 * @example ursula@example.com
                 */
                username: string;
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
                        groups: {
                            id: string;
                            name: string;
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
            /** @description Not Found */
            404: {
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
    listErasures: {
        parameters: {
            query: {
                /** @description The first instant of an erasure that counts (ISO 8601; a date is its midnight in UTC) */
                since?: string;
                limit: number;
                /** @description `nextCursor` of the page before */
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
                        erasures: {
                            /** @description Of the user */
                            id: string;
                            /** @description RFC 3339, UTC */
                            erasedAt: string;
                        }[];
                        nextCursor?: string;
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
                        nextCursor?: string;
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
                        nextCursor?: string;
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
    importUsers: {
        parameters: {
            query?: {
                /** @description `true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`) */
                dry_run?: boolean;
                /** @description `update` changes names, locale, timezone, groups and `externalId` of users who are there, but of none with a role */
                on_existing?: "skip" | "update";
                /** @description gives new users the roles of their lines, which are left out otherwise */
                allow_roles?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A line for each line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
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
