import { ToolError } from '../mcp/kernel/error.ts'
import { type Request, type Response, siteOf } from '../mcp/kernel/http.ts'
import type { Shell } from '../mcp/kernel/page.ts'
import { chooseForm } from './accept.ts'
import { toPage } from './page.ts'
import { refusalHeaders, refuse } from './refuse.ts'
import { send } from './send.ts'

/** True when a person opened an address that is refused: a program that names no HTML gets the problem as ever. */
export const wantsPage = (req: Request, error: unknown): error is ToolError =>
  error instanceof ToolError &&
  (req.method === 'GET' || req.method === 'HEAD') &&
  (req.headers.accept ?? '').includes('text/html') &&
  chooseForm(req.headers.accept) === 'html'

/** Words of a request as Markdown shows them: as they are. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|~-]/g, '\\$&')

/** Answers with a page that says what is refused and where to go on, with the status and the headers of the problem. */
export const sendRefusalPage = async (shell: Shell, res: Response, error: ToolError): Promise<void> => {
  const site = siteOf(res)
  const title = error.code === 'not_found' ? 'Not found' : error.toProblem().title
  const issues = (error.extra.issues ?? []).map(
    issue => `- **${plain(issue.path)}**: ${plain(issue.message)}\n`,
  )
  try {
    const page = await toPage({
      title,
      description: title,
      markdown: `# ${title}\n\n${plain(error.message)}\n\n${issues.join('')}\n${error.extra.hint ? `${plain(error.extra.hint)}\n\n` : ''}[To the home page](${site}/)\n`,
      data: {},
      isMarkdown: false,
    })
    const { html, headers } = shell(page)
    send(res, error.status, 'text/html; charset=utf-8', html, {
      ...refusalHeaders(error),
      ...headers,
      Vary: 'Accept, Origin',
    })
  } catch (cause) {
    refuse(res, cause)
  }
}
