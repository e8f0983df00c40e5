import type { Service } from '../mcp/kernel/service.ts'

/** The text of a shell word that stands for itself. */
export const quoteShellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const cursorLink = (name: string, url: string): string => {
  const config = Buffer.from(JSON.stringify({ url })).toString('base64')
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(config)}`
}

const vscodeLink = (name: string, url: string): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url }))}`

/** How a key goes along: a client sends the header with every call, since a model cannot. */
const keyText = (name: string, url: string): string => `
Some tools need the key of an account (\`$KEY\`). It is a header of the connection, \`Authorization: Bearer\` or \`X-API-Key\`:

\`\`\`sh
claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer $KEY"
\`\`\`

In a file of settings: \`${JSON.stringify({ mcpServers: { [name]: { type: 'http', url, headers: { Authorization: 'Bearer <key>' } } } })}\`.
`

/** True when a service has tools for those who hold a key. */
export const takesKey = ({ identify }: Service): boolean =>
  identify?.apiKey !== undefined || identify?.bearer !== undefined

/** How MCP clients are connected to an endpoint, as Markdown; `hasKeys` where some of its tools need a key. */
export const connectText = (name: string, url: string, hasKeys: boolean): string => `\`\`\`sh
claude mcp add --transport http ${name} ${url}
\`\`\`

- **Claude Code**: the line above.
- **Claude on the web and desktop**: Customize, Connectors, *Add custom connector*, and paste \`${url}\`. Claude connects from the cloud, so the address must be public.
- **Cursor**: [add to Cursor](${cursorLink(name, url)}).
- **VS Code**: [add to VS Code](${vscodeLink(name, url)}), or \`code --add-mcp '${JSON.stringify({ name, type: 'http', url })}'\`.
- **Codex**: \`codex mcp add ${name} --url ${url}\`. **Gemini CLI**: \`gemini mcp add --transport http ${name} ${url}\`.
- **MCP Inspector**: \`npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list\` (Node 22).
${hasKeys ? keyText(name, url) : ''}`
