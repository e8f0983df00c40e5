import { exampleText } from '../mcp/kernel/help.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, skillId } from '../mcp/kernel/tool.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { curlCommand, messageCurlCommand } from './curl.ts'

/** Ways to call a tool from a program, each as text that works as printed. */
const listSamples = (
  base: string,
  service: Service,
  tool: AnyTool,
  messageUrl: string,
): [string, string][] => {
  const url = `${base}/tools/${tool.name}`
  const input = tool.examples[0]
  const json = JSON.stringify(input, null, 2)
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: input } }
  return [
    ['curl', curlCommand(base, service, tool)],
    [
      'JavaScript',
      `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${json}),
})
console.log(await response.json())`,
    ],
    [
      'Python',
      `import json, urllib.request

body = json.dumps(json.loads(r'''${JSON.stringify(input)}''')).encode()
request = urllib.request.Request(${JSON.stringify(url)}, body, {"content-type": "application/json"})
print(json.load(urllib.request.urlopen(request)))`,
    ],
    ...(tool.mcp === false
      ? []
      : ([
          [
            'MCP',
            `claude mcp add --transport http ${service.slug} ${base}/mcp\n\n# the call, as a client sends it\n${JSON.stringify(rpc, null, 2)}`,
          ],
        ] as [string, string][])),
    ...(skillId(tool) === undefined
      ? []
      : ([['A2A', `# message: ${exampleText(tool)}\n${messageCurlCommand(messageUrl, tool)}`]] as [
          string,
          string,
        ][])),
  ]
}

/** The samples as tabs that work without scripts: radio buttons and a rule of the style sheet for each. */
export const codeSamples = (base: string, service: Service, tool: AnyTool, messageUrl: string): Html => {
  const samples = listSamples(base, service, tool, messageUrl)
  return html`<div class="samples">${samples.map(
    ([name], at) =>
      html`<input type="radio" name="sample" id="sample-${at}" class="unseen"${at === 0 && html` checked`}><label for="sample-${at}">${name}</label>`,
  )}${samples.map(([name, text]) => html`<div class="sample"><pre tabindex="0" aria-label="${name}"><code>${text}</code></pre></div>`)}</div>`
}
