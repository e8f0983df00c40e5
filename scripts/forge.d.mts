export const forge: () => string | undefined
export const runForge: (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<{ status: number | null; output: string }>
