import { createHash } from 'node:crypto'
import { endpoint } from '../../../kernel/endpoint.ts'
import { script } from './script.ts'

const bytes = Buffer.from(script)
const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)

export default endpoint({
  name: 'work_script',
  title: 'The script of the pages',
  description: 'The script by which the pages for people sign requests and send files. Free.',
  method: 'GET',
  path: '/work/script.js',
  body: 'none',
  answers: ['text/javascript'],
  needs: [],
  auth: ['public'],
  limits: [{ perMinute: 240, per: 'client' }],
}).run(async () => ({
  kind: 'bytes',
  type: 'text/javascript; charset=utf-8',
  bytes,
  etag,
  cache: 'public, no-cache',
}))
