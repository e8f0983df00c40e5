export const issueSeverities = ['high', 'medium', 'low'] as const

/** Something to mend. `message` is a sentence. */
export type LanguageIssue = { code: string; severity: (typeof issueSeverities)[number]; message: string }

export const issue = (severity: LanguageIssue['severity'], code: string, message: string): LanguageIssue => ({
  code,
  severity,
  message,
})
