import { endpoint } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { feedbackIn } from './identity/feedback.ts'

export default endpoint({
  name: 'feedback_document',
  title: 'Evidence for a rating',
  description:
    'What a rating in the reputation registry points to, to the byte whose hash stands there: canonical JSON with a signature of the house.',
  method: 'GET',
  path: '/api/v1/reputation/documents/:id',
  body: 'none',
  answers: ['application/json'],
  needs: ['store'],
  auth: ['public'],
}).run(async ({ store }, { params: { id = '' } }) => {
  const feedback = await feedbackIn(store).get(id)
  if (!feedback) throw new ToolError('not_found', 'There is no such feedback.')
  return {
    kind: 'bytes',
    type: 'application/json',
    bytes: Buffer.from(feedback.document),
    cache: 'public, max-age=300',
  }
})
