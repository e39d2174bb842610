"""Loops that run inside Java, composed in Python.

A call from Python into Java takes microseconds, more than the work on one posting, one hit or one short document, so loops
over these must run in Java; and the package ships no Java code. A `java.lang.invoke.MethodHandle` is a Java method as a
value, and Java composes handles to new ones. The functions below look methods up and compose them. Signatures are those
of class files: `(Ljava/lang/String;)V` takes a String and returns nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.indexes.jvm import java_bytes, java_cast, java_class

STRING = "Ljava/lang/String;"
OBJECT = "Ljava/lang/Object;"
ITERATOR = "Ljava/util/Iterator;"
BYTES = "org.apache.lucene.util.BytesRef"
_END = "\0"


def descriptor(name: str) -> str:
    """Return a class name as signatures spell it.

    >>> descriptor("java.lang.String")
    'Ljava/lang/String;'
    """
    return f"L{name.replace('.', '/')};"


def method(owner: str, name: str, signature: str) -> Any:
    """Return the instance method `name` of class `owner`; its first argument is the instance."""
    return _lookup().findVirtual(java_class(owner), name, _type(signature))


def static(owner: str, name: str, signature: str) -> Any:
    """Return the static method `name` of class `owner`; variable arguments are one array."""
    return _lookup().findStatic(java_class(owner), name, _type(signature)).asFixedArity()


def constructor(owner: str, signature: str) -> Any:
    """Return the constructor of class `owner` with this signature, which returns nothing (`V`)."""
    return _lookup().findConstructor(java_class(owner), _type(signature))


def getter(owner: str, name: str, value_class: str) -> Any:
    """Return the reader of the field `name` of class `owner`; `value_class` as in `class_named`."""
    return _lookup().findGetter(java_class(owner), name, class_named(value_class))


def class_named(name: str) -> Any:
    """Return the `java.lang.Class` of a class or array class (`[Ljava.lang.Object;`)."""
    return java_class("java.lang.Class").forName(name)


def cast(handle: Any, signature: str) -> Any:
    """Return `handle` with other static types; arguments and result are cast, or the result dropped (`V`)."""
    return handle.asType(_type(signature))


def bind(handle: Any, position: int, *values: Any) -> Any:
    """Return `handle` with its arguments from `position` on fixed to `values`: objects, strings, ints, booleans."""
    for value in values:
        box = {bool: "java.lang.Boolean", int: "java.lang.Integer"}.get(type(value))
        fixed = java_class(box)(value) if box else value
        handle = _handles().insertArguments(handle, position, fixed)
    return handle


def pipe(first: Any, *others: Any) -> Any:
    """Return the composition of handles, each taking the result of the one before."""
    for following in others:
        first = _handles().filterReturnValue(first, following)
    return first


def together(*handles: Any) -> Any:
    """Return a handle that calls all handles on the same arguments and returns the last result; the others return nothing."""
    *before, whole = handles
    for handle in reversed(before):
        whole = _handles().foldArguments(whole, handle)
    return whole


def with_result(first: Any, handle: Any) -> Any:
    """Return a handle that calls `first`, and then `handle` on its result and the same arguments."""
    return _handles().foldArguments(handle, first)


def ignoring(handle: Any, class_name: str) -> Any:
    """Return `handle` with an unused argument of this class in front."""
    return _handles().dropArguments(handle, 0, class_named(class_name))


def reorder(handle: Any, signature: str, *arguments: int) -> Any:
    """Return a handle of this signature; for each argument of `handle`, `arguments` has the number of its own."""
    return _handles().permuteArguments(handle, _type(signature), *arguments)


def before_arguments(handle: Any, position: int, *steps: Any) -> Any:
    """Return `handle` with its arguments from `position` on made by `steps`, each from what is given at its position."""
    return _handles().filterArguments(handle, position, *steps)


def collect(elements: Any, new: Any, add: Any) -> Any:
    """Return a loop that collects what is in a value.

    Args:
        elements: takes the value and returns an Iterator.
        new: takes nothing and returns an empty collection.
        add: takes the collection and an element and returns the collection.
    """
    return _handles().iteratedLoop(elements, new, add)


def for_all(step: Any) -> Any:
    """Return a loop over an Iterator: while it has a next element, call `step` with the iterator."""
    return _handles().whileLoop(None, method("java.util.Iterator", "hasNext", "()Z"), step)


def repeat(step: Any, argument: str) -> Any:
    """Return a loop over (times, value): call `step` `times` times on `value`, of class `argument`."""
    number = java_class("java.lang.Integer").TYPE
    times = _handles().dropArguments(_handles().identity(number), 1, class_named(argument))
    body = _handles().dropArguments(_handles().dropArguments(step, 0, number), 0, number)
    return _handles().countedLoop(times, None, body)


def iterate_array(element: str) -> Any:
    """Return a handle that turns an array of objects of type `element` (`Ljava/lang/String;`) into an Iterator."""
    as_list = static("java.util.Arrays", "asList", f"([{OBJECT})Ljava/util/List;")
    as_list = cast(as_list, f"([{element})Ljava/util/List;")
    return pipe(as_list, method("java.util.List", "iterator", f"(){ITERATOR}"))


def next_of(element: str) -> Any:
    """Return a handle that takes the next element, of type `element`, from an Iterator."""
    return cast(method("java.util.Iterator", "next", f"(){OBJECT}"), f"({ITERATOR}){element}")


def element_at(index: int) -> Any:
    """Return a handle that takes the element at `index` from an array of objects."""
    return bind(_handles().arrayElementGetter(class_named("[Ljava.lang.Object;")), 1, index)


def as_interface(handle: Any, interface: str) -> Any:
    """Return a Java object that implements `interface`, which has a single method, by `handle`."""
    proxy = java_class("java.lang.invoke.MethodHandleProxies").asInterfaceInstance(class_named(interface), handle)
    return java_cast(interface, proxy)


def consumer_of_two(loop: Any) -> Any:
    """Return a `java.util.function.BiConsumer` that calls a handle of two arguments."""
    return as_interface(cast(loop, f"({OBJECT}{OBJECT})V"), "java.util.function.BiConsumer")


def characters(text: str) -> Any:
    """Return `text` as a `java.lang.CharSequence`, for parameters of that type."""
    return java_cast("java.lang.CharSequence", java_class("java.lang.String")(text))


class Integers:
    """A growing list of Java ints; the handle `note` appends one."""

    def __init__(self) -> None:
        self._bytes = java_class("java.io.ByteArrayOutputStream")()
        write = method("java.io.DataOutputStream", "writeInt", "(I)V")
        self.note: Any = bind(write, 0, java_class("java.io.DataOutputStream")(self._bytes))

    def take(self) -> npt.NDArray[np.int32]:
        """Return and remove the ints."""
        raw = java_bytes(self._bytes.toByteArray())
        self.clear()
        return np.frombuffer(raw, dtype=">i4").astype(np.int32)

    def clear(self) -> None:
        """Remove the ints."""
        self._bytes.reset()


class Strings:
    """A growing list of strings without U+0000; the handle `note` appends one."""

    def __init__(self) -> None:
        builder = "java.lang.StringBuilder"
        self._joined = java_class(builder)()
        append = bind(method(builder, "append", f"({STRING}){descriptor(builder)}"), 0, self._joined)
        append = cast(append, f"({STRING})V")
        self.note: Any = pipe(append, bind(append, 0, _END))

    def take(self) -> list[str]:
        """Return and remove the strings."""
        joined: str = self._joined.toString()
        self.clear()
        return joined.split(_END)[:-1]

    def clear(self) -> None:
        """Remove the strings."""
        self._joined.setLength(0)


def _handles() -> Any:
    return java_class("java.lang.invoke.MethodHandles")


def _lookup() -> Any:
    return _handles().publicLookup()


def _type(signature: str) -> Any:
    loader = java_class("java.lang.ClassLoader").getSystemClassLoader()
    return java_class("java.lang.invoke.MethodType").fromMethodDescriptorString(signature, loader)
