"""What producer, consumer and admin share: TLS and SASL. The form of the table: `ottla.config.tables`."""

TABLE = """
sasl.client.callback.handler.class | CLASS | null |  | MEDIUM |  | accepted: there is no Java code to load or tune | Class that answers for the client in a SASL exchange.
sasl.jaas.config | PASSWORD | null |  | MEDIUM |  | accepted: not yet, comes with TLS and SASL | Credentials, in the JAAS form.
sasl.kerberos.kinit.cmd | STRING | /usr/bin/kinit |  | LOW |  | accepted: there is no Kerberos | Path of kinit.
sasl.kerberos.min.time.before.relogin | LONG | 60000 |  | LOW |  | accepted: there is no Kerberos | Pause of the thread that renews tickets.
sasl.kerberos.service.name | STRING | null |  | MEDIUM |  | accepted: there is no Kerberos | Name that the brokers run as.
sasl.kerberos.ticket.renew.jitter | DOUBLE | 0.05 |  | LOW |  | accepted: there is no Kerberos | Randomness of the renewal.
sasl.kerberos.ticket.renew.window.factor | DOUBLE | 0.8 |  | LOW |  | accepted: there is no Kerberos | Share of a ticket's life after which it is renewed.
sasl.login.callback.handler.class | CLASS | null |  | MEDIUM |  | accepted: there is no Java code to load or tune | Class that logs in.
sasl.login.class | CLASS | null |  | MEDIUM |  | accepted: there is no Java code to load or tune | Class of the login itself.
sasl.login.connect.timeout.ms | INT | null |  | LOW |  | accepted: not yet, comes with OAuth | Time limit to connect to the provider.
sasl.login.read.timeout.ms | INT | null |  | LOW |  | accepted: not yet, comes with OAuth | Time limit to read its answer.
sasl.login.refresh.buffer.seconds | SHORT | 300 | [0,...,3600] | LOW |  | accepted: not yet, comes with OAuth | A token is renewed at least so long before it ends.
sasl.login.refresh.min.period.seconds | SHORT | 60 | [0,...,900] | LOW |  | accepted: not yet, comes with OAuth | Shortest time between two renewals.
sasl.login.refresh.window.factor | DOUBLE | 0.8 | [0.5,...,1.0] | LOW |  | accepted: not yet, comes with OAuth | Share of a token's life after which it is renewed.
sasl.login.refresh.window.jitter | DOUBLE | 0.05 | [0.0,...,0.25] | LOW |  | accepted: not yet, comes with OAuth | Randomness of that share.
sasl.login.retry.backoff.max.ms | LONG | 10000 |  | LOW |  | accepted: not yet, comes with OAuth | Longest pause between two logins.
sasl.login.retry.backoff.ms | LONG | 100 |  | LOW |  | accepted: not yet, comes with OAuth | First pause between two logins.
sasl.mechanism | STRING | GSSAPI |  | MEDIUM |  | accepted: not yet, comes with TLS and SASL | SASL mechanism.
sasl.oauthbearer.clock.skew.seconds | INT | 30 |  | LOW |  | accepted: not yet, comes with OAuth | How far clocks may differ.
sasl.oauthbearer.expected.audience | LIST | null |  | LOW |  | accepted: not yet, comes with OAuth | Audience that a token must name.
sasl.oauthbearer.expected.issuer | STRING | null |  | LOW |  | accepted: not yet, comes with OAuth | Issuer that a token must name.
sasl.oauthbearer.header.urlencode | BOOLEAN | false |  | LOW |  | accepted: not yet, comes with OAuth | Whether the login's header is URL-encoded.
sasl.oauthbearer.jwks.endpoint.refresh.ms | LONG | 3600000 |  | LOW |  | accepted: not yet, comes with OAuth | How long the provider's keys are kept.
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms | LONG | 10000 |  | LOW |  | accepted: not yet, comes with OAuth | Longest pause between two tries to get them.
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms | LONG | 100 |  | LOW |  | accepted: not yet, comes with OAuth | First pause between two tries.
sasl.oauthbearer.jwks.endpoint.url | STRING | null |  | MEDIUM |  | accepted: not yet, comes with OAuth | Where the provider's keys are.
sasl.oauthbearer.scope.claim.name | STRING | scope |  | LOW |  | accepted: not yet, comes with OAuth | Claim that holds the scope.
sasl.oauthbearer.sub.claim.name | STRING | sub |  | LOW |  | accepted: not yet, comes with OAuth | Claim that holds the subject.
sasl.oauthbearer.token.endpoint.url | STRING | null |  | MEDIUM |  | accepted: not yet, comes with OAuth | Where tokens are had.
security.protocol | STRING | PLAINTEXT | (case insensitive) [SASL_SSL, PLAINTEXT, SSL, SASL_PLAINTEXT] | MEDIUM |  | accepted: only PLAINTEXT is taken; anything else is refused until TLS and SASL are there | Protocol to the brokers.
security.providers | STRING | null |  | LOW |  | accepted: there is no Java code to load or tune | Security providers of the JVM.
ssl.cipher.suites | LIST | null |  | LOW |  | accepted: not yet, comes with TLS and SASL | Cipher suites; none: the library's.
ssl.enabled.protocols | LIST | TLSv1.2,TLSv1.3 |  | MEDIUM |  | accepted: not yet, comes with TLS and SASL | TLS versions.
ssl.endpoint.identification.algorithm | STRING | https |  | LOW |  | accepted: not yet, comes with TLS and SASL | How the peer's name is checked; empty: not at all.
ssl.engine.factory.class | CLASS | null |  | LOW |  | accepted: there is no Java code to load or tune | Class that makes TLS engines.
ssl.key.password | PASSWORD | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | Password of the private key.
ssl.keymanager.algorithm | STRING | SunX509 |  | LOW |  | accepted: there is no Java code to load or tune | Algorithm of the key manager.
ssl.keystore.certificate.chain | PASSWORD | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | Certificate chain, as PEM text.
ssl.keystore.key | PASSWORD | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | Private key, as PEM text.
ssl.keystore.location | STRING | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | File with the key and its certificate.
ssl.keystore.password | PASSWORD | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | Password of that file.
ssl.keystore.type | STRING | JKS |  | MEDIUM |  | accepted: not yet, comes with TLS and SASL | Its format.
ssl.protocol | STRING | TLSv1.3 |  | MEDIUM |  | accepted: not yet, comes with TLS and SASL | TLS version that is offered.
ssl.provider | STRING | null |  | MEDIUM |  | accepted: there is no Java code to load or tune | TLS provider of the JVM.
ssl.secure.random.implementation | STRING | null |  | LOW |  | accepted: there is no Java code to load or tune | Random generator of the JVM.
ssl.trustmanager.algorithm | STRING | PKIX |  | LOW |  | accepted: there is no Java code to load or tune | Algorithm of the trust manager.
ssl.truststore.certificates | PASSWORD | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | Trusted certificates, as PEM text.
ssl.truststore.location | STRING | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | File with trusted certificates.
ssl.truststore.password | PASSWORD | null |  | HIGH |  | accepted: not yet, comes with TLS and SASL | Password of that file.
ssl.truststore.type | STRING | JKS |  | MEDIUM |  | accepted: not yet, comes with TLS and SASL | Its format.
"""
