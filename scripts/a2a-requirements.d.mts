/** Checks the scripted agent whose card is at `host`; one row for each requirement, with why it is not met. */
export const checkRequirements: (host: string) => Promise<{ id: string; failure: string | undefined }[]>
