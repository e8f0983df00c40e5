import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { loadArtifact } from './artifact.ts'

export default endpoint({
  name: 'download_artifact',
  title: 'Give the bytes of an artifact',
  description:
    'Gives what a call made for you, such as a screenshot, by its SHA-256, to the key of the account that made it or to the X-Artifact-Token of the call. Free.',
  method: 'GET',
  path: '/artifacts/:sha256',
  body: 'none',
  answers: ['image/png'],
  needs: ['store', 'clock', 'files'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ store, clock, files, caller }, { params, headers }) => {
  const artifact = await loadArtifact(store, {
    caller,
    token: headers['x-artifact-token'],
    sha256: params.sha256 ?? '',
    now: clock.now(),
  })
  const { sha256, bytes, content_type } = artifact
  if (!(await files.stat(sha256))) throw new ToolError('gone', 'This artifact is not kept any more.')
  return {
    kind: 'file',
    type: content_type,
    size: bytes,
    etag: sha256,
    read: range => files.read(sha256, range),
    headers: {
      'Content-Disposition': `inline; filename="${sha256.slice(0, 16)}.png"`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  }
})
