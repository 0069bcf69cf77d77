/** Where a command's lines for people go: standard output carries its JSON and nothing else. */
export type Tell = (line: string) => void

export const onStandardError: Tell = line => void process.stderr.write(`${line}\n`)
