import { document } from '../../kernel/document.ts'

export default document({
  path: '/extensions/conduct/v1',
  title: 'Conduct, version 1',
  description: 'What the verification service promises of its own conduct.',
}).render(() => ({
  markdown: `# Conduct, version 1

- A verdict depends on the artifact and the evidence alone, never on who asks or what was paid.
- What could not be checked is said to be unknown; it is not counted in favour.
- The service holds no keys of those who ask it, and none of their money but balances that they prepaid.
- Input is not shown to third parties. What a proof publishes is redacted first.

Activating the extension changes nothing: it holds for every call. Parameter: \`version\`, \`"1"\`.
`,
}))
