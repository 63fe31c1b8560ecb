"""What producer, consumer and admin share: TLS and SASL. The form of the table: `ottla.config.tables`."""

TABLE = """
sasl.client.callback.handler.class | CLASS | null |  | MEDIUM |  | accepted
    Class that answers for the client in a SASL exchange.
    No effect: there is no Java code to load or tune.
sasl.jaas.config | PASSWORD | null |  | MEDIUM |  | accepted
    Credentials, in the JAAS form.
    No effect: not yet, comes with TLS and SASL.
sasl.kerberos.kinit.cmd | STRING | /usr/bin/kinit |  | LOW |  | accepted
    Path of kinit.
    No effect: there is no Kerberos.
sasl.kerberos.min.time.before.relogin | LONG | 60000 |  | LOW |  | accepted
    Pause of the thread that renews tickets.
    No effect: there is no Kerberos.
sasl.kerberos.service.name | STRING | null |  | MEDIUM |  | accepted
    Name that the brokers run as.
    No effect: there is no Kerberos.
sasl.kerberos.ticket.renew.jitter | DOUBLE | 0.05 |  | LOW |  | accepted
    Randomness of the renewal.
    No effect: there is no Kerberos.
sasl.kerberos.ticket.renew.window.factor | DOUBLE | 0.8 |  | LOW |  | accepted
    Share of a ticket's life after which it is renewed.
    No effect: there is no Kerberos.
sasl.login.callback.handler.class | CLASS | null |  | MEDIUM |  | accepted
    Class that logs in.
    No effect: there is no Java code to load or tune.
sasl.login.class | CLASS | null |  | MEDIUM |  | accepted
    Class of the login itself.
    No effect: there is no Java code to load or tune.
sasl.login.connect.timeout.ms | INT | null |  | LOW |  | accepted
    Time limit to connect to the provider.
    No effect: not yet, comes with OAuth.
sasl.login.read.timeout.ms | INT | null |  | LOW |  | accepted
    Time limit to read its answer.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.buffer.seconds | SHORT | 300 | [0,...,3600] | LOW |  | accepted
    A token is renewed at least so long before it ends.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.min.period.seconds | SHORT | 60 | [0,...,900] | LOW |  | accepted
    Shortest time between two renewals.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.window.factor | DOUBLE | 0.8 | [0.5,...,1.0] | LOW |  | accepted
    Share of a token's life after which it is renewed.
    No effect: not yet, comes with OAuth.
sasl.login.refresh.window.jitter | DOUBLE | 0.05 | [0.0,...,0.25] | LOW |  | accepted
    Randomness of that share.
    No effect: not yet, comes with OAuth.
sasl.login.retry.backoff.max.ms | LONG | 10000 |  | LOW |  | accepted
    Longest pause between two logins.
    No effect: not yet, comes with OAuth.
sasl.login.retry.backoff.ms | LONG | 100 |  | LOW |  | accepted
    First pause between two logins.
    No effect: not yet, comes with OAuth.
sasl.mechanism | STRING | GSSAPI |  | MEDIUM |  | accepted
    SASL mechanism.
    No effect: not yet, comes with TLS and SASL.
sasl.oauthbearer.clock.skew.seconds | INT | 30 |  | LOW |  | accepted
    How far clocks may differ.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.expected.audience | LIST | null |  | LOW |  | accepted
    Audience that a token must name.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.expected.issuer | STRING | null |  | LOW |  | accepted
    Issuer that a token must name.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.header.urlencode | BOOLEAN | false |  | LOW |  | accepted
    Whether the login's header is URL-encoded.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.refresh.ms | LONG | 3600000 |  | LOW |  | accepted
    How long the provider's keys are kept.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms | LONG | 10000 |  | LOW |  | accepted
    Longest pause between two tries to get them.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms | LONG | 100 |  | LOW |  | accepted
    First pause between two tries.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.jwks.endpoint.url | STRING | null |  | MEDIUM |  | accepted
    Where the provider's keys are.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.scope.claim.name | STRING | scope |  | LOW |  | accepted
    Claim that holds the scope.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.sub.claim.name | STRING | sub |  | LOW |  | accepted
    Claim that holds the subject.
    No effect: not yet, comes with OAuth.
sasl.oauthbearer.token.endpoint.url | STRING | null |  | MEDIUM |  | accepted
    Where tokens are had.
    No effect: not yet, comes with OAuth.
security.protocol | STRING | PLAINTEXT | (case insensitive) [SASL_SSL, PLAINTEXT, SSL, SASL_PLAINTEXT] | MEDIUM |  | accepted
    Protocol to the brokers.
    No effect: only PLAINTEXT is taken; anything else is refused until TLS and SASL are there.
security.providers | STRING | null |  | LOW |  | accepted
    Security providers of the JVM.
    No effect: there is no Java code to load or tune.
ssl.cipher.suites | LIST | null |  | LOW |  | accepted
    Cipher suites; none: the library's.
    No effect: not yet, comes with TLS and SASL.
ssl.enabled.protocols | LIST | TLSv1.2,TLSv1.3 |  | MEDIUM |  | accepted
    TLS versions.
    No effect: not yet, comes with TLS and SASL.
ssl.endpoint.identification.algorithm | STRING | https |  | LOW |  | accepted
    How the peer's name is checked; empty: not at all.
    No effect: not yet, comes with TLS and SASL.
ssl.engine.factory.class | CLASS | null |  | LOW |  | accepted
    Class that makes TLS engines.
    No effect: there is no Java code to load or tune.
ssl.key.password | PASSWORD | null |  | HIGH |  | accepted
    Password of the private key.
    No effect: not yet, comes with TLS and SASL.
ssl.keymanager.algorithm | STRING | SunX509 |  | LOW |  | accepted
    Algorithm of the key manager.
    No effect: there is no Java code to load or tune.
ssl.keystore.certificate.chain | PASSWORD | null |  | HIGH |  | accepted
    Certificate chain, as PEM text.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.key | PASSWORD | null |  | HIGH |  | accepted
    Private key, as PEM text.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.location | STRING | null |  | HIGH |  | accepted
    File with the key and its certificate.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.password | PASSWORD | null |  | HIGH |  | accepted
    Password of that file.
    No effect: not yet, comes with TLS and SASL.
ssl.keystore.type | STRING | JKS |  | MEDIUM |  | accepted
    Its format.
    No effect: not yet, comes with TLS and SASL.
ssl.protocol | STRING | TLSv1.3 |  | MEDIUM |  | accepted
    TLS version that is offered.
    No effect: not yet, comes with TLS and SASL.
ssl.provider | STRING | null |  | MEDIUM |  | accepted
    TLS provider of the JVM.
    No effect: there is no Java code to load or tune.
ssl.secure.random.implementation | STRING | null |  | LOW |  | accepted
    Random generator of the JVM.
    No effect: there is no Java code to load or tune.
ssl.trustmanager.algorithm | STRING | PKIX |  | LOW |  | accepted
    Algorithm of the trust manager.
    No effect: there is no Java code to load or tune.
ssl.truststore.certificates | PASSWORD | null |  | HIGH |  | accepted
    Trusted certificates, as PEM text.
    No effect: not yet, comes with TLS and SASL.
ssl.truststore.location | STRING | null |  | HIGH |  | accepted
    File with trusted certificates.
    No effect: not yet, comes with TLS and SASL.
ssl.truststore.password | PASSWORD | null |  | HIGH |  | accepted
    Password of that file.
    No effect: not yet, comes with TLS and SASL.
ssl.truststore.type | STRING | JKS |  | MEDIUM |  | accepted
    Its format.
    No effect: not yet, comes with TLS and SASL.
"""
