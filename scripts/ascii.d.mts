export const toAscii: (code: string) => string
export const spellRawTemplates: (code: string, name: string) => string
