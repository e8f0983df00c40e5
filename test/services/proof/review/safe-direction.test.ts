import { expect, test } from 'vitest'
import { isSafer, saferState } from '../../../../mcp/services/proof/review/read/safe-direction.ts'

test.each([
  ['block_public_acls', 'on'],
  ['ignore_public_acls', 'on'],
  ['restrict_public_buckets', 'on'],
  ['blockPublicPolicy', 'on'],
  ['disable_root_login', 'on'],
  ['disable_password_auth', 'on'],
  ['deny_all', 'on'],
  ['require_mfa', 'on'],
  ['verify_ssl', 'on'],
  ['httpOnly', 'on'],
  ['runAsNonRoot', 'on'],
  ['readOnlyRootFilesystem', 'on'],
  ['deletion_protection', 'on'],
  ['enable_auth', 'on'],
  ['allowAnonymous', 'off'],
  ['disable_tls', 'off'],
  ['disable_logging', 'off'],
  ['skip_final_snapshot', 'off'],
  ['insecure_skip_verify', 'off'],
  ['no_verify', 'off'],
  ['enable_debug', 'off'],
  ['force_destroy', 'off'],
  ['nodeIntegration', 'off'],
  ['allowPrivilegeEscalation', 'off'],
  ['PasswordAuthentication', 'off'],
  ['ignore_errors', 'off'],
  ['darkMode', undefined],
  ['allow_list', undefined],
  ['dry_run', undefined],
] as const)('%s is safer %s', (name, state) => {
  expect(saferState(name)).toBe(state)
})

test('only the safer state of a switch is called safer', () => {
  expect(isSafer('block_public_acls', 'true')).toBe(true)
  expect(isSafer('block_public_acls', 'false')).toBe(false)
  expect(isSafer('disable_tls', 'no')).toBe(true)
  expect(isSafer('disable_tls', 'yes')).toBe(false)
  expect(isSafer('verify_ssl', 'maybe')).toBe(false)
})
