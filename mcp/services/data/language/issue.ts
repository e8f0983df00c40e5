export const severities = ['high', 'medium', 'low'] as const

/** Something to mend. `message` is a sentence. */
export type Issue = { code: string; severity: (typeof severities)[number]; message: string }

export const issue = (severity: Issue['severity'], code: string, message: string): Issue => ({
  code,
  severity,
  message,
})
