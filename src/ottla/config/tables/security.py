"""Authentication, encryption and authorization. The form of the table: `ottla.config.tables`."""

TABLE = """
authorizer.class.name | STRING |  | non-null string | LOW | read-only | accepted: not yet, comes with authorization. Until then a broker that is given one does not start | Class that decides who may do what; empty: everybody everything.
principal.builder.class | CLASS | org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder |  | MEDIUM | dynamic | accepted: there is no Java code to load or tune | Class that names the user of a connection.
connections.max.reauth.ms | LONG | 0 |  | MEDIUM | read-only | accepted: not yet, comes with TLS and SASL | A SASL session must authenticate again after this long; 0: never.
security.providers | STRING | null |  | LOW | read-only | accepted: there is no Java code to load or tune | Security providers of the JVM.
delegation.token.master.key | PASSWORD | null |  | MEDIUM | read-only | mapped to delegation.token.secret.key | The older name of delegation.token.secret.key.
delegation.token.secret.key | PASSWORD | null |  | MEDIUM | read-only | accepted: not yet, comes with delegation tokens | Secret that delegation tokens are made with.
delegation.token.expiry.check.interval.ms | LONG | 3600000 | [1,...] | LOW | read-only | accepted: not yet, comes with delegation tokens | How often expired tokens are removed.
delegation.token.expiry.time.ms | LONG | 86400000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with delegation tokens | A token must be renewed within this time.
delegation.token.max.lifetime.ms | LONG | 604800000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with delegation tokens | A token ends after this time, renewed or not.
password.encoder.secret | PASSWORD | null |  | MEDIUM | read-only | accepted: dynamic passwords are refused, with or without it, until TLS and SASL come | Secret for passwords among the dynamic configs.
password.encoder.old.secret | PASSWORD | null |  | MEDIUM | read-only | accepted: dynamic passwords are refused, with or without it, until TLS and SASL come | The secret before it was changed.
password.encoder.cipher.algorithm | STRING | AES/CBC/PKCS5Padding |  | LOW | read-only | accepted: dynamic passwords are refused, with or without it, until TLS and SASL come | Cipher for them.
password.encoder.iterations | INT | 4096 | [1024,...] | LOW | read-only | accepted: dynamic passwords are refused, with or without it, until TLS and SASL come | Iterations for their key.
password.encoder.key.length | INT | 128 | [8,...] | LOW | read-only | accepted: dynamic passwords are refused, with or without it, until TLS and SASL come | Length of their key.
password.encoder.keyfactory.algorithm | STRING | null |  | LOW | read-only | accepted: dynamic passwords are refused, with or without it, until TLS and SASL come | Algorithm for their key.
sasl.enabled.mechanisms | LIST | GSSAPI |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | SASL mechanisms that are served.
sasl.mechanism.inter.broker.protocol | STRING | GSSAPI |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Mechanism between brokers.
sasl.mechanism.controller.protocol | STRING | GSSAPI |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Mechanism to the quorum's controllers.
sasl.server.callback.handler.class | CLASS | null |  | MEDIUM | read-only | accepted: there is no Java code to load or tune | Class that checks credentials.
sasl.server.max.receive.size | INT | 524288 |  | MEDIUM | read-only | accepted: not yet, comes with TLS and SASL | Largest frame before authentication.
ssl.client.auth | STRING | none | [required, requested, none] | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Whether clients must show a certificate.
ssl.principal.mapping.rules | STRING | DEFAULT |  | LOW | read-only | accepted: not yet, comes with TLS and SASL | How a certificate's name becomes a user's.
ssl.allow.dn.changes | BOOLEAN | false |  | LOW | read-only | accepted: not yet, comes with TLS and SASL | Whether a new certificate may carry another subject.
ssl.allow.san.changes | BOOLEAN | false |  | LOW | read-only | accepted: not yet, comes with TLS and SASL | Whether a new certificate may carry other alternative names.
sasl.client.callback.handler.class | CLASS | null |  | MEDIUM | read-only | accepted: there is no Java code to load or tune | Class that answers for the client in a SASL exchange.
sasl.jaas.config | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Credentials, in the JAAS form.
sasl.kerberos.kinit.cmd | STRING | /usr/bin/kinit |  | MEDIUM | dynamic | accepted: there is no Kerberos | Path of kinit.
sasl.kerberos.min.time.before.relogin | LONG | 60000 |  | MEDIUM | dynamic | accepted: there is no Kerberos | Pause of the thread that renews tickets.
sasl.kerberos.principal.to.local.rules | LIST | DEFAULT |  | MEDIUM | dynamic | accepted: there is no Kerberos | How a principal becomes a user's name.
sasl.kerberos.service.name | STRING | null |  | MEDIUM | dynamic | accepted: there is no Kerberos | Name that the brokers run as.
sasl.kerberos.ticket.renew.jitter | DOUBLE | 0.05 |  | MEDIUM | dynamic | accepted: there is no Kerberos | Randomness of the renewal.
sasl.kerberos.ticket.renew.window.factor | DOUBLE | 0.8 |  | MEDIUM | dynamic | accepted: there is no Kerberos | Share of a ticket's life after which it is renewed.
sasl.login.callback.handler.class | CLASS | null |  | MEDIUM | read-only | accepted: there is no Java code to load or tune | Class that logs in.
sasl.login.class | CLASS | null |  | MEDIUM | read-only | accepted: there is no Java code to load or tune | Class of the login itself.
sasl.login.connect.timeout.ms | INT | null |  | LOW | read-only | accepted: not yet, comes with OAuth | Time limit to connect to the provider.
sasl.login.read.timeout.ms | INT | null |  | LOW | read-only | accepted: not yet, comes with OAuth | Time limit to read its answer.
sasl.login.refresh.buffer.seconds | SHORT | 300 |  | MEDIUM | dynamic | accepted: not yet, comes with OAuth | A token is renewed at least so long before it ends.
sasl.login.refresh.min.period.seconds | SHORT | 60 |  | MEDIUM | dynamic | accepted: not yet, comes with OAuth | Shortest time between two renewals.
sasl.login.refresh.window.factor | DOUBLE | 0.8 |  | MEDIUM | dynamic | accepted: not yet, comes with OAuth | Share of a token's life after which it is renewed.
sasl.login.refresh.window.jitter | DOUBLE | 0.05 |  | MEDIUM | dynamic | accepted: not yet, comes with OAuth | Randomness of that share.
sasl.login.retry.backoff.max.ms | LONG | 10000 |  | LOW | read-only | accepted: not yet, comes with OAuth | Longest pause between two logins.
sasl.login.retry.backoff.ms | LONG | 100 |  | LOW | read-only | accepted: not yet, comes with OAuth | First pause between two logins.
sasl.oauthbearer.clock.skew.seconds | INT | 30 |  | LOW | read-only | accepted: not yet, comes with OAuth | How far clocks may differ.
sasl.oauthbearer.expected.audience | LIST | null |  | LOW | read-only | accepted: not yet, comes with OAuth | Audience that a token must name.
sasl.oauthbearer.expected.issuer | STRING | null |  | LOW | read-only | accepted: not yet, comes with OAuth | Issuer that a token must name.
sasl.oauthbearer.jwks.endpoint.refresh.ms | LONG | 3600000 |  | LOW | read-only | accepted: not yet, comes with OAuth | How long the provider's keys are kept.
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms | LONG | 10000 |  | LOW | read-only | accepted: not yet, comes with OAuth | Longest pause between two tries to get them.
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms | LONG | 100 |  | LOW | read-only | accepted: not yet, comes with OAuth | First pause between two tries.
sasl.oauthbearer.jwks.endpoint.url | STRING | null |  | MEDIUM | read-only | accepted: not yet, comes with OAuth | Where the provider's keys are.
sasl.oauthbearer.scope.claim.name | STRING | scope |  | LOW | read-only | accepted: not yet, comes with OAuth | Claim that holds the scope.
sasl.oauthbearer.sub.claim.name | STRING | sub |  | LOW | read-only | accepted: not yet, comes with OAuth | Claim that holds the subject.
sasl.oauthbearer.token.endpoint.url | STRING | null |  | MEDIUM | read-only | accepted: not yet, comes with OAuth | Where tokens are had.
ssl.cipher.suites | LIST |  |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Cipher suites; none: the library's.
ssl.enabled.protocols | LIST | TLSv1.2,TLSv1.3 |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | TLS versions.
ssl.endpoint.identification.algorithm | STRING | https |  | LOW | dynamic | accepted: not yet, comes with TLS and SASL | How the peer's name is checked; empty: not at all.
ssl.engine.factory.class | CLASS | null |  | LOW | dynamic | accepted: there is no Java code to load or tune | Class that makes TLS engines.
ssl.key.password | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Password of the private key.
ssl.keymanager.algorithm | STRING | SunX509 |  | MEDIUM | dynamic | accepted: there is no Java code to load or tune | Algorithm of the key manager.
ssl.keystore.certificate.chain | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Certificate chain, as PEM text.
ssl.keystore.key | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Private key, as PEM text.
ssl.keystore.location | STRING | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | File with the key and its certificate.
ssl.keystore.password | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Password of that file.
ssl.keystore.type | STRING | JKS |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Its format.
ssl.protocol | STRING | TLSv1.3 |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | TLS version that is offered.
ssl.provider | STRING | null |  | MEDIUM | dynamic | accepted: there is no Java code to load or tune | TLS provider of the JVM.
ssl.secure.random.implementation | STRING | null |  | LOW | dynamic | accepted: there is no Java code to load or tune | Random generator of the JVM.
ssl.trustmanager.algorithm | STRING | PKIX |  | MEDIUM | dynamic | accepted: there is no Java code to load or tune | Algorithm of the trust manager.
ssl.truststore.certificates | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Trusted certificates, as PEM text.
ssl.truststore.location | STRING | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | File with trusted certificates.
ssl.truststore.password | PASSWORD | null |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Password of that file.
ssl.truststore.type | STRING | JKS |  | MEDIUM | dynamic | accepted: not yet, comes with TLS and SASL | Its format.
super.users | STRING |  |  | MEDIUM | read-only | accepted: not yet, comes with authorization | Users who may do everything, separated by semicolons.
allow.everyone.if.no.acl.found | BOOLEAN | false |  | MEDIUM | read-only | accepted: not yet, comes with authorization | Whether a resource without ACLs is open to all.
"""
