/** Prints lines for people on standard error, because standard output has only the JSON of the result. */
export type Tell = (line: string) => void

export const onStandardError: Tell = line => void process.stderr.write(`${line}\n`)
