/** Every error id of this server, by section of the wire contract: what `idport explain` and docs/api-errors.md list. */

export interface ErrorIdSection {
  /** Of the wire contract. */
  readonly section: string;
  readonly title: string;
  readonly ids: readonly ErrorId[];
}

export interface ErrorId {
  readonly id: string;
  readonly meaning: string;
}

/** One id a line, then what it means. */
function section(section: string, title: string, lines: string): ErrorIdSection {
  const ids = lines
    .trim()
    .split('\n')
    .map((line): ErrorId => {
      const [id = '', ...words] = line.trim().split(' ');
      return { id, meaning: words.join(' ') };
    });
  return { section, title, ids };
}

export const errorIdSections: readonly ErrorIdSection[] = [
  section(
    '1',
    'One user',
    `
    COMMAND-5N8fs no org
    COMMAND-00p2b user name of blanks only
    PROFILE-RF5z2 no first name
    PROFILE-DSUkN no last name
    EMAIL-599BI address cannot be parsed
    EMAIL-599GV address with a display name
    EMAIL-spblu address is empty, only where no field rule applies
    PHONE-so0wa number cannot be parsed
    COMMAND-SFd21 user name with the verified domain of another org
    DOMAIN-HuJf6 password too short
    DOMAIN-co3Xw password without a lower-case letter
    DOMAIN-VoaRj password without an upper-case letter
    DOMAIN-ZBv4H password without a digit
    DOMAIN-ZDLwA password without a symbol
    CRYPT-5uV9n cost of the hash outside the limits
    CRYPT-r8Qm2 hash that a verifier cannot read
    CRYPT-2xK7d hash that no verifier knows
    COMMAND-39nfs provider of a link does not exist
    COMMAND-SJI3g provider does not allow creation
    V3-DKcYh unique value is taken: user name, link, org, project, role, grant
    `,
  ),
  section(
    '2.6-2.8',
    'Bulk import',
    `
    ORG-lapo2n org is there already
    COMM-deLSk org has no name: it is not there, or was deleted
    ORG-4Mlfs org without an id
    COMMAND-ziuna user id is taken
    COMMAND-k2una id of a service account is taken
    COMMAND-bs9Ds service account without a name
    COMMAND-uXHNj user does not exist
    COMMAND-4f8sg user of a grant does not exist
    COMMAND-do9se one-time password is there already
    DOMAIN-JDk4t recovery code in an unknown form
    COMMAND-53cjw more recovery codes than allowed
    V2-e1wse domain is there already
    COMMA-FfoZO domain is the primary one already
    COMMA-yKA80 domain is not verified
    ORG-r3h4J domain without a name
    ORG-1M8ds domain policy is there already
    Org-2B0ps label policy is there already
    ORG-0olDf lockout policy is there already
    Org-Dgfb2 login policy is there already
    Org-LdhbS password complexity policy is there already
    Org-0oLpd privacy policy is there already
    Org-1J8fs provider is there already
    Org-eUpQU provider without its settings
    COMMAND-bnipwm1 user of a machine key does not exist
    COMMAND-091mops machine key is there already
    COMMAND-vzktar7b7f user of a link does not exist
    COMMAND-39nf2 provider of a link does not exist
    COMMAND-opamwu project is there already
    COMMAND-EbFMN project does not exist
    PROJECT-34Fm0 application without its settings
    PROJECT-lxowmp application is there already
    COMMAND-4m9vS application of a key does not exist
    COMMAND-eg2gf script without its content
    COMMAND-nau2k script is there already
    COMMAND-Nfh52 trigger does not change anything
    COMMAND-Dfhj5 trigger without a flow
    COMMAND-dg422 trigger with a script that does not exist
    COMMAND-3m9gg granted org does not exist
    COMMAND-6m9gd role of a grant does not exist
    ORG-poWwe member is there already
    ORG-GoXOn member does not exist
    Org-4N8es member with a role that no org has
    PROJECT-37fug member of a project grant is there already
    PROJECT-PtXi1 member of a project is there already
    ORG-lapo2m older id of an org that is there already
    `,
  ),
  section(
    '4.3',
    'Limits',
    `
    LIMITS-molsj instance is blocked
    QUOTA-vjAy8 quota is used up
    `,
  ),
  section(
    '5.2',
    'Tokens and permissions',
    `
    AUTH-toLo1 header is not a bearer token
    AUTH-7fs1e token is unknown or over
    AUTH-Bs7Ds org of the header does not exist
    AUTHZ-cdgFk caller has no role in the org
    AUTH-5mWD2 caller may not
    AUTH-3jknH caller may not, in a variant for things with owners
    AUTH-AWfge caller may not, inside a handler of version 2
    `,
  ),
  section(
    '6',
    'Actions',
    `
    SCHEMA-141bwx3lef feature is not enabled (first generation)
    COMMAND-39f35d8uri target without a timeout
    COMMAND-1r2k6qo6wg endpoint that cannot be parsed
    COMMAND-NcJUKo endpoint that is no web address, or at a denied host
    COMMAND-08b39vdi57 change to no timeout
    COMMAND-jsbaera7b6 change to an endpoint that is no URL
    COMMAND-xj14f2cccn target to change does not exist
    COMMAND-k4s7ucu0ax target to delete does not exist (first generation)
    QUERY-hj5oaniyrz target to read does not exist
    COMMAND-vysplsevt8 method does not exist
    COMMAND-qu6dfhiioq service does not exist
    COMMAND-cdy39t0ksr function does not exist
    COMMAND-74aaqj8fv9 event does not exist
    COMMAND-er5oneb5lz group of events does not exist
    COMMAND-17e8fq1ggk target of an execution does not exist, or is named twice
    COMMAND-slgj0l4cdz included execution does not exist
    COMMAND-suq2upd3rt execution to delete does not exist
    COMMAND-56bteot2uj execution without targets (first generation)
    COMMAND-3tkej630e6 condition on calls says nothing
    COMMAND-w5smb6v7qu condition on events says nothing
    ACTION-5r5Ju no condition
    EXEC-dra6yamk98 receiver failed
    EXEC-reUaUZCzCp receiver forwarded a status
    EXEC-bmhNhpcqpF receiver forwarded what is no refusal
    IDPORT-badKey public key cannot be read
    IDPORT-keyActive active public key cannot be removed
    IDPORT-noKey public key does not exist
    `,
  ),
  section(
    '7',
    'Creating users',
    `
    COMMAND-7yiox1isql user id is taken
    COMMA-HuJf6 password too short
    COMMA-co3Xw password without a lower-case letter
    COMMA-VoaRj password without an upper-case letter
    COMMA-ZBv4H password without a digit
    COMMA-ZDLwA password without a symbol
    USER-Dbgth metadata without a value
    USERv2-j0z7uy metadata both of the user and of the human
    DOMAIN-ieYa7 template of a link with an unknown field
    COMMAND-QXPGs org does not exist
    USER-UCej2 no first name
    USER-4hB7d no last name
    USER-Drght metadata without a key
    V2-zzad3 no user name
    COMMAND-ugjs0upun6 user to change does not exist
    COMMAND-M9dse initial user cannot get a password
    COMMAND-2M9fs no code was sent
    `,
  ),
  section(
    '8.3',
    'Signing in',
    `
    COMMAND-3M0fs wrong password
    COMMAND-CahN2 hash that cannot be verified, or password over 72 bytes
    COMMAND-3nJ4t user has no password
    COMMAND-JLK35 user is locked
    COMMAND-Sfw3f no user to check
    SESSION-Gj4ko user is not active
    COMMAND-Df4b3 older id of a user who is not active
    EVENT-8isk2 wrong TOTP code
    COMMAND-3Mif9s user has no TOTP
    COMMAND-SF3fg user is locked, at a check of TOTP
    COMMAND-8N9ds no user to check TOTP of
    QUERY-SFeaa session to read does not exist
    COMMAND-Flk38 session to change does not exist
    COMMAND-Hewfq session to change has ended
    COMMAND-Hkl3d session to change has expired
    COMMAND-sGr42 session token is wrong
    OIDC-VoXo6 wrong client secret
    `,
  ),
  section(
    '10',
    'Users, metadata, grants, policies',
    `
    Org-xa08n2 notification policy is there already
    ORG-x029n3 organization has no notification policy to change
    Org-ioqnxz notification policy is not changed
    ORG-x029n1s organization has no notification policy to remove
    META-9mm2d empty list of metadata
    META-2nnds a metadata key does not exist
    META-ncnw3 metadata without a key
    QUERY-4M0fs more than a page may have
    COMMAND-7c0nx not one to ten recovery codes are asked for
    COMMAND-8f2k9 more recovery codes than a user may have
    COMMAND-SAF4f user of a new password does not exist
    COMMAND-Sfe4g initial user cannot reset a password
    COMMAND-Wgvn4 invited user does not exist
    COMMAND-EF34g invited user can sign in already
    QUERY-AG4gs more than 65,535 values in one search
    USER-zsQ97 queries nested more than 20 deep
    QUERY-Dfbg2 user does not exist
    MANAG-fpo4B user belongs to another org
    QUERY-Rgh32 metadata does not exist
    QUERY-leq5Q org does not exist
    COMMA-aps2n org to delete does not exist
    COMMA-wG9p1 the default org cannot be deleted
    QUERY-iTTGJ older id of an org that does not exist
    COMMAND-ke0fw initial user cannot be deactivated
    COMMAND-5M0sf user is inactive already
    COMMAND-3M9ds user to deactivate does not exist
    COMMAND-6M0sf user is not inactive
    COMMAND-4M0sd user to reactivate does not exist
    COMMAND-3NN8v user to lock is neither active nor initial
    COMMAND-5M9fs user to lock does not exist
    COMMAND-4M0ds user is not locked
    COMMAND-M0dos user to unlock does not exist
    COMMAND-gvx4kct9r2 initial user cannot be deactivated (version 2)
    COMMAND-5gunjw0cd7 user is inactive already (version 2)
    COMMAND-5gp2p62iin user to deactivate does not exist (version 2)
    COMMAND-s5qqcz97hf user is not inactive (version 2)
    COMMAND-9hy5kzbuk6 user to reactivate does not exist (version 2)
    COMMAND-lgws8wtsqf user to lock is neither active nor initial (version 2)
    COMMAND-450yxuqrh1 user to lock does not exist (version 2)
    COMMAND-olb9vb0oca user is not locked (version 2)
    COMMAND-x377t913pw user to unlock does not exist (version 2)
    COMMAND-bd4ir1mblj user to delete does not exist (version 2)
    COMMAND-4m9ff project of a grant does not exist, or is another org's
    COMMAND-m9gsd project to grant to another org does not exist
    PROJECT-ckUpbvboAH project granted to its own org
    COMMAND-mm9F4 role of a grant does not exist
    COMMAND-huvKF grant of the project does not exist
    COMMAND-1My0t grant to remove does not exist
    COMMAND-3M9sd project to remove does not exist
    PROJECT-1n8df application without the grant type of a response type, or with an origin that is none
    PROJECT-msNebo application with a back-channel logout URI that cannot be called
    MANAG-SFf2a application of another org
    QUERY-pCP8P application does not exist
    QUERY-fk2fs project does not exist
    COMMAND-0po9s application to remove does not exist
    COMMAND-2g66f application that is to get a secret does not exist
    COMMAND-Ghrh3 application that is to get a secret is no OIDC application
    COMMAND-aeH4 application that is to get a secret is no API application
    ORG-Sgtj5 identity provider with a blank name
    ORG-Se3tg identity provider to remove does not exist, or is the instance's
    PROJECT-D8JxR grant of a project to remove does not exist
    COMMAND-Df2f1 user is no service account
    COMMAND-Dggw2 service account does not exist
    DOMAIN-dv3t5 date of expiry is over
    USER-JDk4t older id of an unknown hash
    `,
  ),
];
