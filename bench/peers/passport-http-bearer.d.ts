/** It has no types of its own. */
declare module 'passport-http-bearer' {
  type Done = (error: Error | null, user?: object | false) => void;
  export class Strategy {
    constructor(verify: (token: string, done: Done) => void);
  }
}
