/** The built-in sources, for the help. */
/* oxlint-disable */
// Written by `npm run docs` from maps/*.yaml.
interface BuiltIn {
  readonly title: string;
  /** By any of these its exports are recognised: keys, or a regular expression. */
  readonly marks: readonly (readonly string[] | string)[];
  /** The same of tables that are joined. */
  readonly tables?: Readonly<Record<string, readonly (readonly string[] | string)[]>>;
  /** Where no password hash can move: the verifier of idport jit that can ask the source. */
  readonly jit?: string;
}

export const builtIn = {
  "389ds": {"title":"389 Directory Server","marks":[["dn","objectClass","nsUniqueId"]]},
  "active-directory": {"title":"Active Directory","marks":[["dn","objectGUID","sAMAccountName"],["DN","objectClass","sAMAccountName"],["DistinguishedName","SamAccountName"]]},
  "adonis": {"title":"AdonisJS","marks":["\\$scrypt\\$n=\\d+,r=","\\$bcrypt\\$v=98\\$r=","\\$argon2id?\\$v=19\\$t=\\d+,m="]},
  "appwrite": {"title":"Appwrite","marks":[["$id","emailVerification"],["$id","hashOptions"],["$id","registration"]],"tables":{"identities":[["$id","providerUid","userId"],["identities.$id","identities.providerUid"]]}},
  "aspnet-identity": {"title":"ASP.NET Identity","marks":[["PasswordHash","SecurityStamp"],["NormalizedUserName","EmailConfirmed"]],"tables":{"tokens":[["UserId","LoginProvider","Name","Value"]],"logins":[["UserId","LoginProvider","ProviderKey"]],"claims":[["UserId","ClaimType","ClaimValue"]]}},
  "authelia": {"title":"Authelia","marks":[["users","displayname","password","groups"]],"tables":{"totp":[["totp_configurations"]]}},
  "authentik": {"title":"Authentik","marks":[["username","password_change_date","attributes","path"]]},
  "authjs": {"title":"Auth.js","marks":[["name","email","emailVerified","image"]],"tables":{"accounts":[["userId","provider","providerAccountId"],["user_id","provider","provider_account_id"]]}},
  "better-auth": {"title":"Better Auth","marks":[["email","emailVerified","image","banned","banExpires"],["email","email_verified","image","banned","ban_expires"],["email","emailVerified","image","createdAt","updatedAt"]],"tables":{"account":[["providerId","accountId","userId"],["provider_id","account_id","user_id"]]}},
  "casdoor": {"title":"Casdoor","marks":[["passwordType","isForbidden"],["password_type","is_forbidden"],["users.passwordType","organizations.passwordType"]]},
  "clerk": {"title":"Clerk","marks":[["password_hasher","password_digest"],["primary_email_address","first_name"],["verified_email_addresses","unverified_email_addresses"],["primary_email_address_id","email_addresses"]]},
  "cognito": {"title":"Amazon Cognito","marks":[["Username","UserStatus"],["Username","Attributes"],["userPoolId","userStatus"],["userPoolId","username"],["cognito:username"]],"jit":"cognito"},
  "descope": {"title":"Descope","marks":[["loginIds","userId","verifiedEmail"],["loginIds","userTenants"]],"jit":"http"},
  "devise": {"title":"Devise (Rails)","marks":[["encrypted_password","sign_in_count"],["encrypted_password","reset_password_token"],["encrypted_password","reset_password_sent_at"],["encrypted_password","remember_created_at"]],"tables":{"otp":["^\\{\"id\": ?[^{}\\[\\],]+, ?\"otp_secret\": ?\"[^\"]*\"\\}$"]}},
  "discourse": {"title":"Discourse","marks":[["password_hash","password_salt","password_algorithm"],["username","suspended_till","staged"]],"tables":{"links":[["provider_name","provider_uid","user_id"]]}},
  "django": {"title":"Django","marks":[["model","fields.password","fields.last_login"],["is_staff","is_superuser","date_joined","password"]],"tables":{"addresses":[["verified","primary","user_id","email"]],"accounts":[["provider","uid","user_id","extra_data"]],"devices":[["key","step","t0","drift","user_id"]],"authenticators":[["type","data","user_id","last_used_at"]],"codes":[["user_id","token"]],"groups":[["user_id","group_name"]]}},
  "drupal": {"title":"Drupal","marks":[["uid","preferred_langcode","pass"],["uid","pass","signature_format","mail"]]},
  "entra": {"title":"Microsoft Entra ID","marks":[["userPrincipalName","accountEnabled"],["userPrincipalName","identities.signInType"],["UserPrincipalName","AccountEnabled"],["userPrincipalName","objectId"],["UserPrincipalName","ObjectId"],["identities.signInType","identities.issuerAssignedId"]],"jit":"oidc"},
  "firebase": {"title":"Firebase","marks":[["localId","email"],["localId","providerUserInfo"],["localId","passwordHash"],["localId","createdAt"],["uid","providerData","metadata"],"^[\\w-]+,[^,\\n]*,(?:true|false)?,(?:[^,\\n]*,){24,}[^,\\n]*$"],"jit":"firebase"},
  "flask-security": {"title":"Flask-Security","marks":[["fs_uniquifier"],["tf_totp_secret","tf_primary_method"]],"tables":{"roles":[["user_id","role_name"]]}},
  "forgerock": {"title":"ForgeRock","marks":[["_id","_rev","userName","givenName"],["result._id","result._rev"],["_embedded.users"]]},
  "freeipa": {"title":"FreeIPA","marks":[["dn","objectClass","uid","ipaUniqueID"]]},
  "frontegg": {"title":"Frontegg","marks":[["tenantIds"],["mfaEnrolled","tenantId"],["mfaEnrolled","verified"],["tenants.tenantId"]]},
  "fusionauth": {"title":"FusionAuth","marks":[["encryptionScheme"],["encryption_scheme","factor"],["uniqueUsername"],["usernameStatus"],["insertInstant","tenantId"],["registrations.applicationId"]]},
  "gitea": {"title":"Gitea","marks":[["lower_name","passwd","passwd_hash_algo"],["lower_name","prohibit_login"],["login","prohibit_login","full_name"]]},
  "gitlab": {"title":"GitLab","marks":[["encrypted_password","projects_limit"],["encrypted_password","user_type","username","state"]],"tables":{"identities":[["extern_uid","provider","user_id"]],"otp":["^\\{\"id\": ?[^{}\\[\\],]+, ?\"otp_secret\": ?\"[^\"]*\"\\}$"]}},
  "google-workspace": {"title":"Google Workspace","marks":[["primaryEmail","suspended"],["primaryEmail","name.givenName"],["primaryEmail","orgUnitPath"],["First Name [Required]","Email Address [Required]"]]},
  "joomla": {"title":"Joomla","marks":[["username","block","sendEmail","registerDate"]]},
  "kanidm": {"title":"Kanidm","marks":[["db_s_uuid","entries"]]},
  "kinde": {"title":"Kinde","marks":[["password.hashing_algorithm"],["hashing_algorithm","hashed_password"],["is_suspended","preferred_email"],["identities.type","identities.identity"]]},
  "kratos": {"title":"Ory Kratos","marks":[["schema_id","traits"],["traits","verifiable_addresses"],["traits","credentials"]]},
  "laravel": {"title":"Laravel","marks":[["email_verified_at","remember_token","password"]],"tables":{"otp":[["id","secret","codes"]]}},
  "ldap": {"title":"LDAP directory","marks":[["dn","objectClass"]]},
  "logto": {"title":"Logto","marks":[["primary_email","password_encryption_method"],["primary_email","mfa_verifications"],["primaryEmail","customData"],["primaryEmail","isSuspended"]]},
  "lucia": {"title":"Lucia","marks":["s2:[\\w-]+:[\\da-f]{128}"]},
  "magento": {"title":"Magento","marks":[["entity_id","password_hash","confirmation"],["entity_id","rp_token","password_hash"]]},
  "mediawiki": {"title":"MediaWiki","marks":[["user_name","user_real_name","user_email_authenticated"],["user_name","user_password","user_token"]],"tables":{"groups":[["ug_user","ug_group"]],"properties":[["up_user","up_property","up_value"]]}},
  "meteor": {"title":"Meteor","marks":[["services.password.bcrypt"],["services.password.argon2"],["emails.address","services.resume"]],"jit":"hashes"},
  "moodle": {"title":"Moodle","marks":[["mnethostid","suspended"],["auth","confirmed","policyagreed","suspended"]]},
  "nextcloud": {"title":"Nextcloud","marks":[["uid","displayname","password"],["uid","uid_lower","password"]]},
  "nhost": {"title":"Nhost","marks":[["auth.users","password_hash","default_role"],["password_hash","default_role","phone_number_verified"],["totp_secret","active_mfa_type"]]},
  "odoo": {"title":"Odoo","marks":[["login","password","share"],["login","password","partner_id"]]},
  "okta": {"title":"Okta","marks":[["profile.login","status"],["profile.login","credentials"]],"tables":{"idps":[["userId","externalId","type"]]}},
  "onelogin": {"title":"OneLogin","marks":[["firstname","lastname","external_id","status"],["invalid_login_attempts","activated_at"]],"jit":"oidc"},
  "openldap": {"title":"OpenLDAP","marks":[["dn","entryUUID","entryCSN"],["dn","entryUUID","structuralObjectClass"]]},
  "parse": {"title":"Parse Server","marks":[["_hashed_password"],["objectId","bcryptPassword"]]},
  "payload": {"title":"Payload","marks":[["hash","salt","loginAttempts"],["hash","salt","login_attempts"]]},
  "phoenix": {"title":"Phoenix (phx.gen.auth)","marks":[["hashed_password","confirmed_at","inserted_at"]]},
  "phpbb": {"title":"phpBB","marks":[["user_id","username_clean","user_password"],["user_id","user_type","user_password","user_email"]]},
  "pocketbase": {"title":"PocketBase","marks":[["emailVisibility","tokenKey"],["tokenKey","passwordHash"]]},
  "propelauth": {"title":"PropelAuth","marks":[["user_id","email_confirmed","can_create_orgs"],["user_id","email_confirmed","has_password"],["users.user_id","users.org_id_to_org_info"]],"jit":"http"},
  "spring": {"title":"Spring Security","marks":[["login","password_hash","activated","lang_key"],"\\{(?:bcrypt\\}\\$2|(?:pbkdf2|scrypt|argon2)@SpringSecurity)"]},
  "strapi": {"title":"Strapi","marks":[["confirmed","blocked","confirmation_token"],["username","provider","confirmed","blocked"]]},
  "stytch": {"title":"Stytch","marks":[["user_id","emails.email_id"],["member_id","organization_id","email_address"],["user_id","trusted_metadata","untrusted_metadata"],["phone_numbers.phone_id","webauthn_registrations"]],"tables":{"passwords":["^id,hash,salt,hash_method"]}},
  "supabase": {"title":"Supabase","marks":[["raw_app_meta_data"],["raw_user_meta_data"],["instance_id","encrypted_password"],["auth.users","encrypted_password"],["aud","role","app_metadata","user_metadata"]]},
  "supertokens": {"title":"SuperTokens","marks":[["app_id","user_id","password_hash"],["loginMethods.recipeId"]]},
  "symfony": {"title":"Symfony and FOSUserBundle","marks":[["username_canonical","email_canonical"]]},
  "werkzeug": {"title":"Flask with Werkzeug","marks":["scrypt:\\d+:\\d+:\\d+\\$","pbkdf2:sha\\d+:\\d+\\$"]},
  "wordpress": {"title":"WordPress","marks":[["user_login","user_pass"],["user_login","user_nicename"]]},
  "workos": {"title":"WorkOS","marks":[["object","email_verified","profile_picture_url"],["data.object","data.email_verified","list_metadata"]],"tables":{"identities":[["user_id","idp_id","provider"]]}},
  "wso2": {"title":"WSO2 Identity Server","marks":[["UM_USER_NAME","UM_USER_PASSWORD"]],"tables":{"attributes":[["UM_USER_ID","UM_ATTR_NAME","UM_ATTR_VALUE"]]}},
} as const satisfies Readonly<Record<string, BuiltIn>>;
