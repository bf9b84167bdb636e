//! Keeps the heap small over months: few arenas, and freed memory goes back to the system when the daemon rests. And
//! sends for memory ahead of its use, where much of it is looked through.
//!
//! It tells glibc how to keep house and the processor what comes next, and owns nothing. This is the only place where
//! unsafe code stands; elsewhere, and with another allocator than glibc's, nothing is done.
#![allow(unsafe_code)]

/// To be called once, before threads are started. glibc would give every thread an arena of its own, and what one
/// thread allocates and another frees then lies fallow: at 30,000 memories that was a third of the process.
pub fn keep_compact() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// Larger blocks are mapped, and unmapped when freed: what a night takes to read pairs would else leave holes
        /// among what others keep. A fixed border also stops glibc from raising it.
        const MAPPED_FROM: libc::c_int = 256 << 10;
        const ARENAS: libc::c_int = 2;
        /// What is freed at the end of an arena stays at hand up to here: questions take and free many small blocks.
        const AT_HAND: libc::c_int = 32 << 20;
        // SAFETY: mallopt takes two integers, changes only parameters of the allocator, and may be called at any time.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, ARENAS);
            libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
            libc::mallopt(libc::M_TRIM_THRESHOLD, AT_HAND);
        }
    }
}

/// Gives freed memory back to the system. Takes milliseconds, so only at rest.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim takes an integer, is thread-safe, and touches only memory that nobody holds.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// What stands here will be looked at in a moment. Only a hint: it spares the wait for memory where the processor does
/// not foresee by itself what comes next, at the end of a page or in no order at all.
#[inline(always)]
pub fn send_for<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch changes nothing and cannot fault, and every x86-64 has it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
