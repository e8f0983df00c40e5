import { endpoint } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { filesIn, fileTypes, receiveFile, requireFileLink, toPublicFile } from './file.ts'

export default endpoint({
  name: 'upload_evidence',
  title: 'Take the bytes of a file',
  description:
    'Takes the bytes of one file at the address that presign_upload made. They must have the size, the hash and the type that were promised. Free.',
  method: 'PUT',
  path: '/api/v1/evidence/uploads/:token',
  body: 'stream',
  maxBytes: 1_000_000_000,
  accepts: fileTypes,
  answers: ['application/json'],
  needs: ['store', 'clock', 'keys', 'files', 'workers'],
  auth: ['public'],
  limits: [{ perMinute: 60, per: 'client' }],
  timeoutMs: 600_000,
}).run(async ({ store, clock, keys, files, workers }, { params, headers, chunks }) => {
  const id = requireFileLink(keys, 'upload', params.token ?? '', clock.now())
  const file = await filesIn(store).get(id)
  if (!file) throw new ToolError('gone', 'This file is not expected any more.')
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== file.content_type)
    throw new ToolError('unsupported_media', `Content-Type: this address takes ${file.content_type}.`)
  if (Number(headers['content-length'] ?? 0) > file.bytes)
    throw new ToolError('too_large', `The file is over the ${file.bytes} bytes that were promised.`, {
      headers: { Connection: 'close' },
    })
  if (file.state !== 'pending') return { kind: 'json', body: toPublicFile(file) }
  const stored = await receiveFile({ store, files, workers, now: clock.now() }, file, chunks)
  if (!stored) throw new ToolError('gone', 'This file is not expected any more.')
  return { kind: 'json', status: 201, body: toPublicFile(stored) }
})
