/** Prints a command's lines for people: standard output has only its JSON. */
export type Tell = (line: string) => void

export const onStandardError: Tell = line => void process.stderr.write(`${line}\n`)
