/** `app.profile`: in which revision of the specification this installation speaks. */
import type { App } from '../../app.ts'
import type { Profile } from '../domain/profile.ts'

declare module 'fastify' {
  interface FastifyInstance {
    profile: Profile
  }
}

/** To be called before any route is added. */
export function installProfile(app: App, profile: Profile): void {
  app.decorate('profile', profile)
}
