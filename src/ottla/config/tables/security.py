"""Authentication, encryption and authorization. The form of the table: `ottla.config.tables`."""

TABLE = """
authorizer.class.name | STRING |  | non-null string | LOW | read-only | accepted
    Class that decides who may do what; empty: everybody everything.
    No effect: not yet, comes with authorization. Until then a broker that is given one does not start.
principal.builder.class | CLASS | org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder |  | MEDIUM | dynamic | accepted
    Class that names the user of a connection.
    No effect: there is no Java code to load or tune.
connections.max.reauth.ms | LONG | 0 |  | MEDIUM | read-only | accepted
    A SASL session must authenticate again after this long; 0: never.
    No effect: not yet, comes with TLS and SASL.
security.providers | STRING | null |  | LOW | read-only | accepted
    Security providers of the JVM.
    No effect: there is no Java code to load or tune.
delegation.token.master.key | PASSWORD | null |  | MEDIUM | read-only | mapped to delegation.token.secret.key
    The older name of delegation.token.secret.key.
delegation.token.secret.key | PASSWORD | null |  | MEDIUM | read-only | accepted
    Secret that delegation tokens are made with.
    No effect: not yet, comes with delegation tokens.
delegation.token.expiry.check.interval.ms | LONG | 3600000 | [1,...] | LOW | read-only | accepted
    How often expired tokens are removed.
    No effect: not yet, comes with delegation tokens.
delegation.token.expiry.time.ms | LONG | 86400000 | [1,...] | MEDIUM | read-only | accepted
    A token must be renewed within this time.
    No effect: not yet, comes with delegation tokens.
delegation.token.max.lifetime.ms | LONG | 604800000 | [1,...] | MEDIUM | read-only | accepted
    A token ends after this time, renewed or not.
    No effect: not yet, comes with delegation tokens.
password.encoder.secret | PASSWORD | null |  | MEDIUM | read-only | accepted
    Secret for passwords among the dynamic configs.
    No effect: dynamic passwords are refused, with or without it, until TLS and SASL come.
password.encoder.old.secret | PASSWORD | null |  | MEDIUM | read-only | accepted
    The secret before it was changed.
    No effect: dynamic passwords are refused, with or without it, until TLS and SASL come.
password.encoder.cipher.algorithm | STRING | AES/CBC/PKCS5Padding |  | LOW | read-only | accepted
    Cipher for them.
    No effect: dynamic passwords are refused, with or without it, until TLS and SASL come.
password.encoder.iterations | INT | 4096 | [1024,...] | LOW | read-only | accepted
    Iterations for their key.
    No effect: dynamic passwords are refused, with or without it, until TLS and SASL come.
password.encoder.key.length | INT | 128 | [8,...] | LOW | read-only | accepted
    Length of their key.
    No effect: dynamic passwords are refused, with or without it, until TLS and SASL come.
password.encoder.keyfactory.algorithm | STRING | null |  | LOW | read-only | accepted
    Algorithm for their key.
    No effect: dynamic passwords are refused, with or without it, until TLS and SASL come.
sasl.enabled.mechanisms | LIST | GSSAPI |  | MEDIUM | dynamic | accepted
    SASL mechanisms that are served.
    No effect: not yet, comes with TLS and SASL.
sasl.mechanism.inter.broker.protocol | STRING | GSSAPI |  | MEDIUM | dynamic | accepted
    Mechanism between brokers.
    No effect: not yet, comes with TLS and SASL.
sasl.mechanism.controller.protocol | STRING | GSSAPI |  | HIGH | read-only | accepted
    Mechanism to the quorum's controllers.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
sasl.server.callback.handler.class | CLASS | null |  | MEDIUM | read-only | accepted
    Class that checks credentials.
    No effect: there is no Java code to load or tune.
sasl.server.max.receive.size | INT | 524288 |  | MEDIUM | read-only | accepted
    Largest frame before authentication.
    No effect: not yet, comes with TLS and SASL.
ssl.client.auth | STRING | none | [required, requested, none] | MEDIUM | dynamic | accepted
    Whether clients must show a certificate.
    No effect: not yet, comes with TLS and SASL.
ssl.principal.mapping.rules | STRING | DEFAULT |  | LOW | read-only | accepted
    How a certificate's name becomes a user's.
    No effect: not yet, comes with TLS and SASL.
ssl.allow.dn.changes | BOOLEAN | false |  | LOW | read-only | accepted
    Whether a new certificate may carry another subject.
    No effect: not yet, comes with TLS and SASL.
ssl.allow.san.changes | BOOLEAN | false |  | LOW | read-only | accepted
    Whether a new certificate may carry other alternative names.
    No effect: not yet, comes with TLS and SASL.
sasl.client.callback.handler.class | CLASS | null |  | MEDIUM | read-only | accepted
    Class that answers for the client in a SASL exchange.
    No effect: there is no Java code to load or tune.
sasl.jaas.config | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Credentials, in the JAAS form.
    No effect: not yet, comes with TLS and SASL.
sasl.kerberos.kinit.cmd | STRING | /usr/bin/kinit |  | MEDIUM | dynamic | accepted
    Path of kinit.
    No effect: there is no Kerberos.
sasl.kerberos.min.time.before.relogin | LONG | 60000 |  | MEDIUM | dynamic | accepted
    Pause of the thread that renews tickets.
    No effect: there is no Kerberos.
sasl.kerberos.principal.to.local.rules | LIST | DEFAULT |  | MEDIUM | dynamic | accepted
    How a principal becomes a user's name.
    No effect: there is no Kerberos.
sasl.kerberos.service.name | STRING | null |  | MEDIUM | dynamic | accepted
    Name that the brokers run as.
    No effect: there is no Kerberos.
sasl.kerberos.ticket.renew.jitter | DOUBLE | 0.05 |  | MEDIUM | dynamic | accepted
    Randomness of the renewal.
    No effect: there is no Kerberos.
sasl.kerberos.ticket.renew.window.factor | DOUBLE | 0.8 |  | MEDIUM | dynamic | accepted
    Share of a ticket's life after which it is renewed.
    No effect: there is no Kerberos.
sasl.login.callback.handler.class | CLASS | null |  | MEDIUM | read-only | accepted
    Class that logs in.
    No effect: there is no Java code to load or tune.
sasl.login.class | CLASS | null |  | MEDIUM | read-only | accepted
    Class of the login itself.
    No effect: there is no Java code to load or tune.
sasl.login.connect.timeout.ms | INT | null |  | LOW | read-only | accepted
    Time limit to connect to the provider.
    No effect: not yet, comes with OAuth.
sasl.login.read.timeout.ms | INT | null |  | LOW | read-only | accepted
    Time limit to read its answer.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.buffer.seconds | SHORT | 300 |  | MEDIUM | dynamic | accepted
    A token is renewed at least so long before it ends.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.min.period.seconds | SHORT | 60 |  | MEDIUM | dynamic | accepted
    Shortest time between two renewals.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.window.factor | DOUBLE | 0.8 |  | MEDIUM | dynamic | accepted
    Share of a token's life after which it is renewed.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.window.jitter | DOUBLE | 0.05 |  | MEDIUM | dynamic | accepted
    Randomness of that share.
    No effect: not yet, comes with OAuth.
sasl.login.retry.backoff.max.ms | LONG | 10000 |  | LOW | read-only | accepted
    Longest pause between two logins.
    No effect: not yet, comes with OAuth.
sasl.login.retry.backoff.ms | LONG | 100 |  | LOW | read-only | accepted
    First pause between two logins.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.clock.skew.seconds | INT | 30 |  | LOW | read-only | accepted
    How far clocks may differ.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.expected.audience | LIST | null |  | LOW | read-only | accepted
    Audience that a token must name.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.expected.issuer | STRING | null |  | LOW | read-only | accepted
    Issuer that a token must name.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.refresh.ms | LONG | 3600000 |  | LOW | read-only | accepted
    How long the provider's keys are kept.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms | LONG | 10000 |  | LOW | read-only | accepted
    Longest pause between two tries to get them.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms | LONG | 100 |  | LOW | read-only | accepted
    First pause between two tries.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.url | STRING | null |  | MEDIUM | read-only | accepted
    Where the provider's keys are.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.scope.claim.name | STRING | scope |  | LOW | read-only | accepted
    Claim that holds the scope.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.sub.claim.name | STRING | sub |  | LOW | read-only | accepted
    Claim that holds the subject.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.token.endpoint.url | STRING | null |  | MEDIUM | read-only | accepted
    Where tokens are had.
    No effect: not yet, comes with OAuth.
ssl.cipher.suites | LIST |  |  | MEDIUM | dynamic | accepted
    Cipher suites; none: the library's.
    No effect: not yet, comes with TLS and SASL.
ssl.enabled.protocols | LIST | TLSv1.2,TLSv1.3 |  | MEDIUM | dynamic | accepted
    TLS versions.
    No effect: not yet, comes with TLS and SASL.
ssl.endpoint.identification.algorithm | STRING | https |  | LOW | dynamic | accepted
    How the peer's name is checked; empty: not at all.
    No effect: not yet, comes with TLS and SASL.
ssl.engine.factory.class | CLASS | null |  | LOW | dynamic | accepted
    Class that makes TLS engines.
    No effect: there is no Java code to load or tune.
ssl.key.password | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Password of the private key.
    No effect: not yet, comes with TLS and SASL.
ssl.keymanager.algorithm | STRING | SunX509 |  | MEDIUM | dynamic | accepted
    Algorithm of the key manager.
    No effect: there is no Java code to load or tune.
ssl.keystore.certificate.chain | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Certificate chain, as PEM text.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.key | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Private key, as PEM text.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.location | STRING | null |  | MEDIUM | dynamic | accepted
    File with the key and its certificate.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.password | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Password of that file.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.type | STRING | JKS |  | MEDIUM | dynamic | accepted
    Its format.
    No effect: not yet, comes with TLS and SASL.
ssl.protocol | STRING | TLSv1.3 |  | MEDIUM | dynamic | accepted
    TLS version that is offered.
    No effect: not yet, comes with TLS and SASL.
ssl.provider | STRING | null |  | MEDIUM | dynamic | accepted
    TLS provider of the JVM.
    No effect: there is no Java code to load or tune.
ssl.secure.random.implementation | STRING | null |  | LOW | dynamic | accepted
    Random generator of the JVM.
    No effect: there is no Java code to load or tune.
ssl.trustmanager.algorithm | STRING | PKIX |  | MEDIUM | dynamic | accepted
    Algorithm of the trust manager.
    No effect: there is no Java code to load or tune.
ssl.truststore.certificates | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Trusted certificates, as PEM text.
    No effect: not yet, comes with TLS and SASL.
ssl.truststore.location | STRING | null |  | MEDIUM | dynamic | accepted
    File with trusted certificates.
    No effect: not yet, comes with TLS and SASL.
ssl.truststore.password | PASSWORD | null |  | MEDIUM | dynamic | accepted
    Password of that file.
    No effect: not yet, comes with TLS and SASL.
ssl.truststore.type | STRING | JKS |  | MEDIUM | dynamic | accepted
    Its format.
    No effect: not yet, comes with TLS and SASL.
super.users | STRING |  |  | MEDIUM | read-only | accepted
    Users who may do everything, separated by semicolons.
    No effect: not yet, comes with authorization.
allow.everyone.if.no.acl.found | BOOLEAN | false |  | MEDIUM | read-only | accepted
    Whether a resource without ACLs is open to all.
    No effect: not yet, comes with authorization.
"""
