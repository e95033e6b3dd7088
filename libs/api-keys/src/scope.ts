/** A scope as RFC 6749 section 3.3 defines it: it stands in a header. */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
