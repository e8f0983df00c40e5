import type { Entry } from './zone.ts'

/** A real 2048-bit RSA key, made for these tests. */
export const rsaKey2048 =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnNd/j/t3vSjiDS5VZ4GodE/Zj7Pq5V37zzyBBX1V4AkYCv2TnrXUK7aF/xHDBJQCtx5JT87eaDlGtfTiYq29gqAJnlaaIFE3q7bWFIzv0ankyQxfQXcZlov1T49U1OmqQmvTtAxOvfNPp1GGDOljQRr7OvxmzLb3u2GLIyaY8AA25oWXdMHvit6a+7UrJvtxrgYCm16jIKYXaQlvriOdKPC3ZuTY29n7BRDj0RPrqPFr2kJyrgSg1j92kJ+HZpdolPXGqiXuRNQ1e+rVjfmwOGa2llPAKggLqQoErsql1aHDxsPLRWZLj2sFTjz7U7Il4kIkKL5y/g8KxJJiJxO2pwIDAQAB'

/** A real 1024-bit RSA key, made for these tests. */
export const rsaKey1024 =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCU55Z2wXEIOMWrxRJ6qcnH1EU8T6Ztt5wiYrs7BB+9uzt5zuQiAdBUS2Bfm7JEES7t56vqrvcY9TItix5hARn3Klau56sf6o62wvvdBHQaJdw33wj5di8J5DrdPy15fRsR8u5lfK/BTBXK3qz3Pk3lNCRhwGZnLbkQuOVeyOhVtQIDAQAB'

/** The public key of RFC 8463, appendix A. */
export const ed25519Key = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='

/** Names about mail: example.com does it well, the others each in their way. */
export const mailZone: Readonly<Record<string, Entry>> = {
  'google._domainkey.example.com': {
    TXT: [[`v=DKIM1; k=rsa; p=${rsaKey2048.slice(0, 200)}`, rsaKey2048.slice(200)]],
  },
  'default._domainkey.example.com': { CNAME: ['keys.example.net'] },
  'keys.example.net': { TXT: [`v=DKIM1; k=ed25519; p=${ed25519Key}`] },
  '_smtp._tls.example.com': { TXT: ['v=TLSRPTv1; rua=mailto:tls@example.com'] },
  'default._bimi.example.com': {
    TXT: ['v=BIMI1; l=https://example.com/logo.svg; a=https://example.com/mark.pem'],
  },
  'quiet.example.net': { MX: [{ preference: 0, exchange: '.' }], TXT: ['v=spf1 -all'] },
  '_dmarc.quiet.example.net': { TXT: ['v=DMARC1; p=reject'] },
}
