import { document } from '../../kernel/document.ts'

export default document({
  path: '/extensions/agent-protocol/v1',
  title: 'Agent protocol, version 1',
  description: 'How the forecasting service is asked over A2A.',
}).render(({ base }) => ({
  markdown: `# Agent protocol, version 1

One \`message/send\` (A2A 0.3) or \`SendMessage\` (A2A 1.0) to ${base}/ is one call. A data part names the skill and carries its
arguments:

\`\`\`json
{ "skill": "consultation", "question": "Will a recession begin in the United States by 31 December 2035?", "form": { "kind": "event", "events": 12, "n": 78, "period_days": 365.25 } }
\`\`\`

The answer is a message with one line of text and one data part, or a task where payment is asked for first. Activating the
extension changes nothing: it holds for every call.
`,
}))
