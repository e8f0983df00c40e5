import { document } from '../../kernel/document.ts'

export default document({
  path: '/extensions/machine-contract/v1',
  title: 'Machine contract, version 1',
  description: 'What a program may rely on when it talks to the deal broker.',
}).render(({ base }) => ({
  markdown: `# Machine contract, version 1

A program that talks to the deal broker may rely on this:

- Every operation is in the OpenAPI description, \`${base}/openapi.json\`, with the JSON Schema of its input and output.
- The same operation has the same name, input, output, price and failure over MCP, A2A and REST.
- Every failure is an RFC 9457 problem (\`application/problem+json\`) with a stable \`code\` and, where there is something to
  do about it, a \`hint\`.
- \`Idempotency-Key\` makes a repeated call answer once, for 24 hours.

Activating the extension changes nothing: it holds for every call. Parameter: \`version\`, \`"1"\`.
`,
}))
