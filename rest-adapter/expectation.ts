import { ToolError } from '../mcp/kernel/error.ts'
import { type Request, type Response, requestIdOf, siteOf } from '../mcp/kernel/http.ts'
import { send } from './send.ts'

/** True for a request whose `Expect` is not `100-continue`; HTTP/1.0 has none (RFC 9110 §10.1.1). */
export const expectsUnknown = ({ headers, awaitsContinue, httpVersion }: Request): boolean =>
  headers.expect !== undefined && !awaitsContinue && httpVersion === '1.1'

/** Answers an expectation that is not known here with 417 and a problem document. */
export const refuseExpectation = (req: Request, res: Response): void => {
  const expected = String(req.headers.expect).slice(0, 80)
  const error = new ToolError('malformed', `Expect: "${expected}" cannot be met.`, {
    hint: 'Expect: 100-continue is known here.',
  })
  send(
    res,
    417,
    'application/problem+json',
    JSON.stringify({ ...error.toProblem(siteOf(res), requestIdOf(res)), status: 417 }),
    {
      Connection: 'close',
    },
  )
}
