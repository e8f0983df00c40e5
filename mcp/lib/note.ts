/** A finding in a sentence, with a stable code. */
export type Note = { code: string; message: string }
