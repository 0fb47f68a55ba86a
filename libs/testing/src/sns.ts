import { createSign } from 'node:crypto';

/** Of sns.amazonaws.com, signed by a test authority until 2126. The key is public. */
export const snsCertificate = `-----BEGIN CERTIFICATE-----
MIICvjCCAaYCFCmDmFwHanYI61UILOYhGE9rjleiMA0GCSqGSIb3DQEBCwUAMBkx
FzAVBgNVBAMMDlRlc3QgQXV0aG9yaXR5MCAXDTI2MTEyNTE0MTUyOFoYDzIxMjYx
MTAxMTQxNTI4WjAcMRowGAYDVQQDDBFzbnMuYW1hem9uYXdzLmNvbTCCASIwDQYJ
KoZIhvcNAQEBBQADggEPADCCAQoCggEBAKyNJzenhbPsrvHxDfmvA0ohd46+Xgif
XSLp7fHfwko3wqxA2PsOQgCIEoTPEY3Iz5mZGvZPLA7QUtQN34JLwwsHtlqeLDx7
ETN1VSX7LxHyKyA0G+1mwcrs6xAC1kPve2ZcQbzbWY3mANambwqaJrl7QXCeKg2o
gdcp7JwKw4N2EbEaCCqhEUl2KOLZhoMx/sXH9dG9GXCphGx2PFUzb/2dC+wLXvEd
R9vxMoX3Ehpu4e2UQgFBeXDJ+69wrMIQFxk5b72UL8I+Kd9zmLhrsicCcYQULhD7
SII6zkQtxgf3uPTv8SzB7MAtkhlHXfbMJH7R3g5pR+q9a7TEz3d76VsCAwEAATAN
BgkqhkiG9w0BAQsFAAOCAQEATSgvmqvgfveXlYQqvqOElqizLTI/d7VCL6YfZ7Zz
dKarXCMjZXS3Ok1BtyK7HOYFivoj7D/Kspz6f4mJfwAefICS5SWBpkFrSpghVKOf
InVYPLLVe59/pEqyRM1M+TmILCfgfyXmZ9njUR7e995hXz29gsOIZOXgVflQLNbB
ZoxcW/Q73D+j/qUq5fTlj1PZCAddME8Tid/o5wbA7vCTqN4AxOuXaJ8kB8tOrmPL
fhSFT7JcstZyk8H35qo9o8rl7118LsSg9TPUUcH5tba+wnRwouSTkwnONlPPqhjL
BHJL9gAI68mH1k8rWZa/bmcZBPREoLS0o3k9H3LPLfeTMw==
-----END CERTIFICATE-----`;

const key = `-----BEGIN PRIVATE KEY-----
MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCsjSc3p4Wz7K7x
8Q35rwNKIXeOvl4In10i6e3x38JKN8KsQNj7DkIAiBKEzxGNyM+ZmRr2TywO0FLU
Dd+CS8MLB7Zaniw8exEzdVUl+y8R8isgNBvtZsHK7OsQAtZD73tmXEG821mN5gDW
pm8Kmia5e0FwnioNqIHXKeycCsODdhGxGggqoRFJdiji2YaDMf7Fx/XRvRlwqYRs
djxVM2/9nQvsC17xHUfb8TKF9xIabuHtlEIBQXlwyfuvcKzCEBcZOW+9lC/CPinf
c5i4a7InAnGEFC4Q+0iCOs5ELcYH97j07/EswezALZIZR132zCR+0d4OaUfqvWu0
xM93e+lbAgMBAAECggEAQkvJcZyvxj19yf9v+yq+/NB2+yUxQ+bXBf8TKQdrwtBB
v6T6uRr1SPb/Bn/4op0xBjbJITGyH87yw/7AjXNGcQp5ib+UB3jRVxARsxIbN63v
2+Oph0Ef3DPC7NfqMxfkNaPkrgcpFVf1ooM3zr8DeehdcEOUrMK9gEnfWuTX0b39
nZmDuCZO5I3wPrPASigxlzEt5MvMv37EJ/u6lqQvWG0GOUx32e/gsv1GSccigmaX
2dLywx1OzCODaxLzJpcNGZ+t7v69wR3BwG8GjalbFHI6AFIqvh5t0nmy5zNYsjQb
b7i2MCVEHwy4r1hcuZVABDQXknps7Dq1RDuU/iLFoQKBgQDgSiUjxSeC9AcaHNE+
rNkf5+ERxnO0ocnfY9l6lnvthIPw1oQFnQ6aLtD7RaGiPqwKmC4jJnHdILAuLKjS
IRLwdz6VLIzdCvKsQyCVgsN5sPTOkB/OB2qIEoFJgYv990x318KL9I2D7GM1VA/f
atCUB2JKFzcLa8qoCP7VszIRtQKBgQDE8mnMBRKtfxGOQjrhf81s4gWVX6dmkF+B
gNNjK27GyafxVf/f8/aocRS8FHrjdazbo9uu9VNFg68YuAfXcPBDNwRqQde8IHcY
7+MwI84dZi4F/gnQ956J2hMDWR5ONd8MNStiHsCq/VgCSQItzXo58+BZtDzbRjin
8lzreaA4zwKBgFlMi/7y5ylXWWCHKrRGg2gVnWHDXpwDcmmTyqnpMkw9335LGmNV
xdOTYjc44QLE6yCIuI3cJ6d/9UVdGJYY/v5oq60fALKdQkNdsqJ0Xrmbv8xiS5dv
EnY8z+bhQkiKZpKsf9PTOWjV/CXmYy9zyrm1Ouf+2Dae4yAF/Ng+sWelAoGBAJS8
VnYD5sUsT7/V+M3QTP3L/FeA89WbduVAu2QLqw9pv/Gc9y7U+hTfwb8A4IXjmvYN
W51YHNlEx/mtEg78dhbs9+KfcyPaiNdGY5c5kzHUtzFDV3p/ZzXIgc9ngGGkgZyg
kvD5NJxt1Ad1x7V7lrEpoudcHRGkiKkdeltDcWM1AoGBAML2Ga8rKL6owq+5vt2X
FB+Mf+4UZ7moDsNm43P+wTV7xZsG81TyhpL87YTSFCIA8XiKlQUTFnTg2Opvi9B0
2aKjp/kfvUonkcoq71keBejNW7YfRItVa3TjAYtLO01DkH7nUuEnDskXNoo1Z9SQ
uWlpF5nKt2u6vo2VVDGRbZcu
-----END PRIVATE KEY-----`;

export const snsTopic = 'arn:aws:sns:eu-west-1:123456789012:posthorn-events';

type SnsMessage = Record<string, string>;

/** In the order in which Amazon SNS signs them. */
const signedNames: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
};

/** A message as Amazon SNS posts it, signed with the key of the certificate; `changes` are made before, `forged` after the signature. */
export function signedSnsMessage(changes: SnsMessage, forged: SnsMessage = {}): SnsMessage {
  const message: SnsMessage = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: snsTopic,
    Message: '{}',
    Timestamp: new Date().toISOString(),
    SignatureVersion: '2',
    SigningCertURL:
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem',
    UnsubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${snsTopic}:1`,
    ...changes,
  };
  const signer = createSign(message['SignatureVersion'] === '1' ? 'sha1' : 'sha256');
  for (const name of signedNames[message['Type']!] ?? [])
    if (name in message) signer.update(`${name}\n${message[name]}\n`);
  return { ...message, Signature: signer.sign(key, 'base64'), ...forged };
}
