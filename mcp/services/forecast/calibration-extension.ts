import { document } from '../../kernel/document.ts'

export default document({
  path: '/extensions/calibration/v1',
  title: 'Calibration, version 1',
  description: 'How the forecasting service signs what it says of its own record.',
}).render(({ base }) => ({
  markdown: `# Calibration, version 1

What this service says of its record is signed with Ed25519 over canonical JSON: keys sorted, no white space, ASCII, numbers with four
decimals at most. \`${base}/expertise/calibration/signed\` returns \`canonical\`, the exact text, with \`signature\`, \`public_key\` (raw, base64) and
\`key_fingerprint\`, the first 16 hexadecimal digits of the SHA-256 of the key. The key is in \`${base}/.well-known/jwks.json\`, too.

The entries that every number follows from are at \`${base}/expertise/record\`; \`octagent verify-record ${base}\` recomputes all of it.
Activating the extension changes nothing.
`,
}))
