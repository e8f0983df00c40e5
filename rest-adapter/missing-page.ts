import { ToolError } from '../mcp/kernel/error.ts'
import { type Request, type Response, siteOf } from '../mcp/kernel/http.ts'
import type { Shell } from '../mcp/kernel/page.ts'
import { chooseForm } from './accept.ts'
import { toPage } from './page.ts'
import { refuse } from './refuse.ts'
import { send } from './send.ts'

/** Whether a person asked for a page that is not there: a program that names no HTML gets the problem as ever. */
export const isMissingPage = (req: Request, error: unknown): error is ToolError =>
  error instanceof ToolError &&
  error.code === 'not_found' &&
  (req.method === 'GET' || req.method === 'HEAD') &&
  (req.headers.accept ?? '').includes('text/html') &&
  chooseForm(req.headers.accept) === 'html'

/** Words of a request as Markdown shows them: as they are. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|~-]/g, '\\$&')

/** Answers with a page that says what is not there and where to go on; 404 as the problem would be. */
export const sendMissingPage = async (shell: Shell, res: Response, error: ToolError): Promise<void> => {
  const site = siteOf(res)
  try {
    const page = await toPage({
      title: 'Not found',
      description: 'There is no such page',
      markdown: `# Not found\n\n${plain(error.message)}\n\n${error.extra.hint ? `${plain(error.extra.hint)}\n\n` : ''}[To the home page](${site}/)\n`,
      data: {},
      isMarkdown: false,
    })
    const { html, headers } = shell(page)
    send(res, 404, 'text/html; charset=utf-8', html, { ...headers, Vary: 'Accept, Origin' })
  } catch (cause) {
    refuse(res, cause)
  }
}
