/** Prints lines for people on standard error, because standard output has only the JSON of the result. */
export type Print = (line: string) => void

export const onStandardError: Print = line => void process.stderr.write(`${line}\n`)
