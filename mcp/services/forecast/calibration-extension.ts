import { document } from '../../kernel/document.ts'

export default document({
  path: '/extensions/calibration/v1',
  title: 'Calibration, version 1',
  description: 'How the forecasting service signs what it says of its own record.',
}).render(() => ({
  markdown: `# Calibration, version 1

Calibration data that this service signs is signed with Ed25519 over its canonical JSON: keys sorted, no white space, UTF-8.
Whoever holds the public key can check it offline. Activating the extension changes nothing.
`,
}))
