import { endpoint } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { filesIn, fileTypes, requireFileLink, toFileName } from './file.ts'

export default endpoint({
  name: 'download_evidence',
  title: 'Give the bytes of a file',
  description:
    'Gives one file of evidence at the address that presign_download made, as an attachment that no browser runs. Free.',
  method: 'GET',
  path: '/api/v1/evidence/files/:token',
  body: 'none',
  answers: fileTypes,
  needs: ['store', 'clock', 'keys', 'files'],
  auth: ['public'],
  limits: [{ perMinute: 240, per: 'client' }],
}).run(async ({ store, clock, keys, files }, { params }) => {
  const file = await filesIn(store).get(requireFileLink(keys, 'download', params.token ?? '', clock.now()))
  if (!file || !(await files.stat(file.sha256)))
    throw new ToolError('gone', 'This file is not kept any more.')
  return {
    kind: 'file',
    type: file.content_type,
    size: file.bytes,
    etag: file.sha256,
    read: range => files.read(file.sha256, range),
    headers: {
      'Content-Disposition': `attachment; filename="${toFileName(file)}"`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  }
})
