/** An e-mail address as it may be shown to who need not be its owner: enough to know one's own again. */
export function masked(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(1, at))}***${email.slice(at)}`
}
